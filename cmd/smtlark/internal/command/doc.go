// Package command is what the verbs of smtlark have in common: what they may touch of the world (Env), how they are registered,
// their exit codes and how they fail, flags that several have, and the solvers that their flags name.
package command
