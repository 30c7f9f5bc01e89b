package discovery_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/discovery"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// agreeable is a solver that refutes nothing, so that the result depends on evaluation alone.
func agreeable(name string) proof.Reference {
	return proof.Reference{Name: name, Ask: func(context.Context, *smtlib.Script) (*proof.Response, error) {
		return &proof.Response{Answer: smtlib.Unsat}, nil
	}}
}

// TestDiscover: without a book, small terms of bit vectors lead to laws that everybody knows, each once, and none that
// a width refutes.
func TestDiscover(t *testing.T) {
	found := map[string]bool{}
	search := func(size int) (texts []string, refuted int) {
		d, err := discovery.New("BV", size, nil, nil)
		require.NoError(t, err)
		prover := &proof.Prover{Values: 64, Solvers: []proof.Reference{agreeable("one"), agreeable("two")}}
		require.NoError(t, d.Run(context.Background(), prover, func(f *discovery.Found) {
			texts = append(texts, f.Text(func(op smt.Op) string { return op.String() }))
		}))
		return texts, d.Refuted
	}
	texts, refuted := search(3)
	require.Positive(t, refuted)
	for _, text := range texts {
		_, sides, _ := strings.Cut(text, "lhs")
		require.False(t, found[sides], text)
		found[sides] = true
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		"lhs = lambda x: smt.bvnot(smt.bvnot(x)), rhs = lambda x: x",
		"lhs = lambda x: smt.bvxor(x, x), rhs = lambda x: smt.bv(0, x.sort.width)",
		"lhs = lambda x: smt.bvsub(x, x), rhs = lambda x: smt.bv(0, x.sort.width)",
		"lhs = lambda x: smt.bvult(x, x), rhs = lambda x: False",
	} {
		require.Contains(t, all, want)
	}
	first, _ := search(2)
	again, _ := search(2)
	require.Equal(t, first, again)
}

// TestTheories: a search begins in every theory, and another name is an error that lists them.
func TestTheories(t *testing.T) {
	for _, theory := range discovery.Theories() {
		d, err := discovery.New(theory, 2, nil, nil)
		require.NoError(t, err, theory)
		require.NoError(t, d.Run(context.Background(), &proof.Prover{Values: 16}, func(*discovery.Found) {}), theory)
		require.Greater(t, d.Terms, 5, theory)
	}
	_, err := discovery.New("BW", 2, nil, nil)
	require.ErrorContains(t, err, `there is no theory "BW" to look for laws in, want one of array, bv`)
}
