// Package lacktest reads what solvers lack from lines, for tests.
package lacktest

import "github.com/smtlark/smtlark/solvers/rule"

// Lacks reads lines of profiles. It panics where one is none.
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
