package mutate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListings reads what solvers print of their options.
func TestListings(t *testing.T) {
	z3 := `Global parameters
    auto_config (bool) (default: true)

[module] smt, description: smt solver based on lazy smt
    arith.nl (bool) (default: true)
    arith.nl.rounds (unsigned int) (default: 1024)
    dump_goal (bool) (default: false)
[module] fp, description: fixedpoint parameters
    xform.magic (bool) (default: false)
`
	require.Equal(t, []string{"smt.arith.nl bool"}, readListing(z3, false))
	cvc5 := `From the Arithmetic Theory module:
  --arith-brab           whether to use simple rounding, similar to a unit-cube
                         test, for integers [*]
  --arith-eq-solver      whether to use the equality solver in the theory of
                         arithmetic (EXPERTS only) [*]
  --arith-prop=MODE      turns on arithmetic propagation (default is 'old', see
                         --arith-prop=help) [*]
  --print-success        print the "success" output required of SMT-LIBv2 [*]
  --incremental | -i     enable incremental solving [*]
  -q | --bool-to-bv
`
	require.Equal(t, []string{"arith-brab bool"}, readListing(cvc5, false))
	require.Equal(t, []string{"arith-brab bool", "arith-eq-solver bool"}, readListing(cvc5, true))
	bitwuzla := `Options:
  -h, --help                                     print this message and exit 
  --bv-solver <M>                   [bitblast]   bv solver engine {preprop, prop, 
                                                 bitblast} 
  --prop-const-bits                 [true]       use constant bits propagation 
  -m, --produce-models              [false]      model production 
  --pp-embedded, -e                 [false]      embedded
`
	require.Equal(t, []string{"prop-const-bits bool", "pp-embedded bool"}, readListing(bitwuzla, false))
	require.Empty(t, readListing("", true))
}

func TestWhatOptionsAreAbout(t *testing.T) {
	for name, want := range map[string]string{
		"smt.mbqi": "(forall", "e-matching": "(forall", "rewriter.sort_store": "Array", "abstraction-bvmul": "(bvmul ", "bv-to-bool": "BitVec", "re-elim": "String",
		"smt.arith.nl": "(* ", "cut-all-bounded": "Int", "rewriter.push_ite_bv": "BitVec", "ite-simp": "(ite ", "seed": "", "simplification": "",
	} {
		require.Equal(t, want, OptionSubjects(name)[0], name)
	}
}
