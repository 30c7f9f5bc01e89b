// Package learn asks solvers what they accept. Questions go out in batches, which are halved where they are refused
// (Halve); replies are kept by the hash of the build (Cache), so that each build is asked once.
package learn
