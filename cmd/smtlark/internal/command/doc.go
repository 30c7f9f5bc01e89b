// Package command has what the verbs of smtlark share: their input and output (Env), registration, exit codes and
// errors, common flags, and the solvers that flags name.
package command
