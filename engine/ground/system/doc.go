// Package system asks the operating system what Go's library does not: processes that are ended with all they have
// started, locks of files, CPU time, names of signals. There is one file a family of systems, so that the rest of
// smtlark is the same on Linux, macOS and Windows; docs/systems.md says what works where.
package system
