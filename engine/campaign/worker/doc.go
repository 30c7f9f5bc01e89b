// Package worker is the process that loads a campaign file, makes its cases, asks the targets and the oracles about
// them, and reports to a coordinator.
package worker
