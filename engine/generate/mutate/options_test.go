package mutate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatOptionsAreAbout(t *testing.T) {
	for name, want := range map[string]string{
		"smt.mbqi": "(forall", "e-matching": "(forall", "rewriter.sort_store": "Array", "abstraction-bvmul": "(bvmul ", "bv-to-bool": "BitVec", "re-elim": "String",
		"smt.arith.nl": "(* ", "cut-all-bounded": "Int", "rewriter.push_ite_bv": "BitVec", "ite-simp": "(ite ", "seed": "", "simplification": "",
	} {
		require.Equal(t, want, OptionSubjects(name)[0], name)
	}
}
