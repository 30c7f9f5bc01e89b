// Package system has operating system functions that Go's library lacks: ending processes with all their descendants,
// file locks, CPU time, names of signals. There is one file per family of systems, so that the rest of smtlark is the
// same on Linux, macOS and Windows; docs/systems.md says what works where.
package system
