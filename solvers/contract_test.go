package solvers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/rule"
)

func TestContracts(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "x", "binaries": []any{"x"}, "contracts": []rule.Contract{{Operator: "bvite", Kinds: []string{"BitVec"}}}})
	require.NoError(t, err)
	outside := func(text string) []string {
		t.Helper()
		s, err := smtlib.Parse("case", []byte("(declare-const c (_ BitVec 1))(declare-const b Bool)(declare-const i Int)"+text), smt.NewArena())
		require.NoError(t, err)
		return p.OutsideContract(s)
	}
	require.Empty(t, outside("(assert (= c (bvite c c #b1)))(assert b)(check-sat)"))
	require.Equal(t, []string{"bvite of Bool", "bvite of Int"}, outside("(assert (bvite c b true))(check-sat-assuming ((= i (bvite c i 1))))"))
	require.Contains(t, p.ContractRules(), rule.Argument.With("bvite", "Bool"))
	require.NotContains(t, p.ContractRules(), rule.Argument.With("bvite", "BitVec"))
}
