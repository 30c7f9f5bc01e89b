// Package property has the properties that reductions keep, each about what targets do with a case, and asks targets
// whether a candidate has one (Runner).
package property
