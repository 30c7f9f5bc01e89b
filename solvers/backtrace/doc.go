// Package backtrace determines which functions were active when a process died of a signal without printing a stack.
//
// A run of a solver is watched by asking for it with the context that Observe returns, as net/http/httptrace watches
// requests. Its processes are then started by an smtlark process that traces them (ptrace). At a fatal signal, the
// tracer records the registers, the innermost part of the stack, and which files are mapped where (a Dump, much like
// the minidumps of Breakpad). The process that asked does the rest: the stack is unwound by the tables that compilers
// write for exceptions (.eh_frame, see the DWARF standard, chapter 6.4, and the System V ABI), names come from the
// symbol tables of the files, and files and lines from their debugging information where they have any. No debugger is
// needed.
//
// It works on Linux with amd64 and arm64; elsewhere, and where a container forbids ptrace, nothing is known of a
// crash.
package backtrace
