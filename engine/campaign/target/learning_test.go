package target

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
)

// TestProgressOfLearning: builds are told one after the other, each once in all its modes.
func TestProgressOfLearning(t *testing.T) {
	made := func(kind, version string) *Solver {
		return &Solver{Found: &solvers.Solver{Profile: &solvers.Profile{Name: kind}, Version: version}}
	}
	program, library, other := made("z3", "5.4.1"), made("z3", "5.4.1"), made("bitwuzla", "")
	l := newLearning([]*Solver{program, other, library})
	require.Equal(t, "learning what z3 5.4.1 supports (1 of 2 builds, question 1)", l.asked())
	l.finished(program)
	require.Equal(t, "learning what z3 5.4.1 supports (1 of 2 builds, question 2)", l.asked())
	require.Equal(t, "learning what bitwuzla supports (2 of 2 builds, question 2)", l.finished(library))
	require.Equal(t, "learning what bitwuzla supports", newLearning([]*Solver{other}).String())
}
