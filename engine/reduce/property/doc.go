// Package property has the properties that reductions keep, each about the runs of targets on a case, and asks targets
// whether a candidate has one (Runner).
package property
