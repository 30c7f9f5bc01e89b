// Package benchmarks has the verb bench: tables that measure smtlark on this machine, beside its peers and beside solvers alone.
package benchmarks
