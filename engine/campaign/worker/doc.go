// Package worker implements the worker process. It loads a campaign file, makes cases, asks the targets and the oracles
// about them, and reports to a coordinator.
package worker
