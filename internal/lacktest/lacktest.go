// Package lacktest parses lacks of solvers from lines, for tests.
package lacktest

import "github.com/smtlark/smtlark/solvers/rule"

// Lacks reads lines of profiles. It panics if a line is invalid.
func Lacks(lines ...string) (out []rule.Lack) {
	for _, line := range lines {
		l, err := rule.ParseLack(line)
		if err != nil {
			panic(err)
		}
		out = append(out, l)
	}
	return out
}
