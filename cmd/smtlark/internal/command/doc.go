// Package command has the code shared by the verbs of smtlark: input and output (Env), registration, exit codes and
// errors, common flags, and the solvers that flags name.
package command
