// Package coordinator runs campaigns: it hands ranges of case numbers to workers, groups the verdicts that come back,
// has them confirmed and reduced, stores what they become, and ends when a stop condition holds. It does not execute
// campaign files itself.
//
// The main types and functions:
//
//   - Run runs the campaign of a Config, and returns its statistics. Inspect loads it without running it, Show prints a
//     case, Reproduce replays findings.
//   - Config says what to run, with which workers, until when, and who is told what.
//   - Log records the events of a run. finding.Store keeps the findings.
//   - Worker is a worker process on this machine or on another one; RemoteWorkers are those of machines that have
//     joined.
//
// Everything happens in one goroutine, which uses the field now of the lifecycle as the current time. Read
// coordinator.go first: the loop over the events of workers. lifecycle.go decides when the campaign ends, crew.go
// starts workers and watches them, dispatcher.go gives them jobs (cases.go: of cases, queue.go: of verdicts),
// settling.go with intake.go and settlement.go decides what becomes of a verdict, register.go and archive.go count and
// store it.
package coordinator
