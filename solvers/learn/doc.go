// Package learn finds out by asking what solvers take. Questions go out in batches, which are halved where they are refused
// (Halve); what was learned is kept by the hash of the build (Cache), so that each build is asked once.
package learn
