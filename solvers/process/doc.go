// Package process runs SMT-LIB solvers as child processes: a Target in one of the modes fresh, reset and incremental.
// This page describes Linux; docs/systems.md lists the differences on other systems.
//
// Every child has its own process group, is killed as a whole group, is reaped, and has limits of time, CPU, memory and
// output. The limits are set by prlimit(2) right after the start. A launcher that sets them before exec would close
// the gap of some 50 microseconds, but costs the start of one more Go program (2 to 5 ms of CPU, a third of a z3 run);
// the gap is harmless, since the kernel checks every limit at each later allocation, write or tick.
//
// Children do not outlive smtlark: they are started by one thread that lives as long as the process and have the
// parent-death signal SIGKILL (which is tied to that thread, hence the locked thread); persistent ones also see the
// end of their input; and a CPU limit is always set.
package process
