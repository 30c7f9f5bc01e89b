package learn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/rule"
)

// TestParameters reads what z3 -pd prints. Values that change the meaning of a problem are never tried.
func TestValuesThatChangeTheMeaning(t *testing.T) {
	require.Equal(t, []DeclaredOption{
		{Name: "smt.string_solver", Values: []string{"z3str3", "seq"}, Default: "seq"},
		{Name: "strings-exp", Values: []string{"true", "false"}, Default: "false"},
	}, withoutChanges([]DeclaredOption{
		{Name: "smt.string_solver", Values: []string{"none", "z3str3", "seq"}, Default: "seq"},
		{Name: "rewriter.hi_div0", Values: []string{"true", "false"}, Default: "true"},
		{Name: "strings-alpha-card", Values: []string{"0", "1", "2", "10"}, Default: "196608"},
		{Name: "solve-real-as-int", Values: []string{"true", "false"}, Default: "false"},
		{Name: "strings-exp", Values: []string{"true", "false"}, Default: "false"},
	}))
}

func TestParameters(t *testing.T) {
	list := readParameters(`Global parameters
    auto_config (bool) use heuristics (default: true)

[module] smt, description: smt solver based on lazy smt
    arith.nl (bool) (incomplete) nonlinear arithmetic support (default: true)
    arith.nl.rounds (unsigned int) threshold for number of final checks (default: 1024)
    arith.solver (unsigned int) arithmetic solver: 0 - no solver, 1 - bellman-ford based solver (diff. logic only), 2 - simplex based solver, 6 - lra solver (default: 6)
    bv.solver (unsigned int) bit-vector solver engine: 0 - bit-blasting, 2 - intblast, requires sat.smt=true (default: 0)
    dump_goal (bool) (default: false)
    qi.eager_threshold (double) threshold for eager quantifier instantiation (default: 10.0)
    string_solver (symbol) solver for strings. options are: 'z3str3' (specialized), 'seq' (sequence solver), 'empty' (a no-op solver), 'none' (no solver) (default: seq)
    qi.profile (bool) profile quantifier instantiation (default: false)
[module] sat, description: propositional SAT solver
    gc (symbol) garbage collection strategy: psm, glue, glue_psm, dyn_psm (default: glue_psm)
    restart (symbol) restart strategy: static, luby, ema or geometric (default: ema)
    drat.file (symbol) file to dump DRAT proofs
    pb.lemma_format (symbol) generate either cardinality or pb lemmas (default: cardinality)
[module] fp, description: fixedpoint parameters
    xform.magic (bool) perform symbolic magic set transformation (default: false)
`)
	require.Equal(t, []DeclaredOption{
		{Name: "smt.arith.nl", Values: []string{"true", "false"}, Default: "true"},
		{Name: "smt.arith.nl.rounds", Values: []string{"0", "1", "2", "10", "512", "1024", "2048"}, Default: "1024"},
		{Name: "smt.arith.solver", Values: []string{"2", "6"}, Default: "6"}, // without those that decide less on purpose
		{Name: "smt.bv.solver", Values: []string{"0", "2"}, Default: "0", Needs: rule.Setting{Name: "sat.smt", Value: "true"}},
		{Name: "smt.qi.eager_threshold", Values: []string{"0.0", "0.5", "1.0", "10.0"}, Default: "10.0"},
		{Name: "smt.string_solver", Values: []string{"z3str3", "seq"}, Default: "seq"},
		{Name: "sat.gc", Values: []string{"psm", "glue", "glue_psm", "dyn_psm"}, Default: "glue_psm"},
		{Name: "sat.restart", Values: []string{"static", "luby", "ema", "geometric"}, Default: "ema"},
	}, list)
	require.Equal(t, rule.OptionSpec{Name: "smt.arith.nl", Kind: rule.Bool}, list[0].Spec())
	require.Equal(t, "smt.bv.solver list 0,2 with sat.smt=true", list[3].Spec().String())
	require.Equal(t, []string{"2"}, list[3].Others())
	require.Empty(t, readParameters(""))
}

// TestHelp reads what cvc5, Bitwuzla and Boolector print for --help.
func TestHelp(t *testing.T) {
	require.Equal(t, []DeclaredOption{
		{Name: "arith-brab", Values: []string{"true", "false"}},
		{Name: "arith-eq-solver", Values: []string{"true", "false"}, Expert: true},
		{Name: "arith-prop", Values: []string{unknownModes}},
		{Name: "inst-max-rounds", Values: []string{"0", "1", "2", "10"}},
		{Name: "random-freq", Values: []string{"0.0", "0.5", "1.0"}, Expert: true},
	}, readHelp(`From the Arithmetic Theory module:
  --arith-brab           whether to use simple rounding, similar to a unit-cube
                         test, for integers [*]
  --arith-eq-solver      whether to use the equality solver in the theory of
                         arithmetic (EXPERTS only) [*]
  --arith-prop=MODE      turns on arithmetic propagation (default is 'old', see
                         --arith-prop=help)
  --inst-max-rounds=N    maximum number of instantiation rounds (-1 == no limit,
                         default)
  --random-freq=P | --random-frequency=P
                         sets the frequency of random decisions (EXPERTS only)
  --print-success        print the "success" output required of SMT-LIBv2 [*]
  --incremental | -i     enable incremental solving [*]
`, false))
	values, standard := readModes("Bit-vector solvers.\nAvailable modes for --bv-solver are:\n+ bitblast (default)\n  Enables bitblasting solver.\n+ bitblast-internal\n")
	require.Equal(t, []string{"bitblast", "bitblast-internal"}, values)
	require.Equal(t, "bitblast", standard)
	require.Equal(t, []DeclaredOption{
		{Name: "bv-solver", Values: []string{"preprop", "prop", "bitblast"}, Default: "bitblast"},
		{Name: "prop-nprops", Values: []string{"0", "1", "2", "10"}, Default: "0"},
		{Name: "prop-const-bits", Values: []string{"true", "false"}, Default: "true"},
		{Name: "pp-embedded", Values: []string{"true", "false"}, Default: "false"},
	}, readHelp(`DeclaredOptions:
  -h, --help                                     print this message and exit 
  --bv-solver <M>                   [bitblast]   bv solver engine {preprop, prop, 
                                                 bitblast} 
  --prop-nprops <n>                 [0]          number of propagation steps used as a 
                                                 limit for propagation-based search 
  --prop-const-bits                 [true]       use constant bits propagation 
  -m, --produce-models              [false]      model production 
  --pp-embedded, -e                 [false]      embedded
`, false))
	require.Equal(t, []DeclaredOption{
		{Name: "beta-reduce", Values: []string{"none", "fun", "all"}, Default: "none"},
		{Name: "ucopt", Values: []string{"0", "1"}, Default: "0"},
	}, readHelp(`  -br <mode>,
    --beta-reduce=<mode>              eagerly eliminate lambda expressions 
                                      {none, fun, all} [none] 
  -uc, --ucopt                        unconstrained optimization [0] 
  -b, --bin                           force binary number output 
`, false))
	require.Empty(t, readHelp("", false))
}

// TestOptionsOfAStranger reads help in words that nobody prepared for, and names of options in replies.
func TestOptionsOfAStranger(t *testing.T) {
	require.Equal(t, []DeclaredOption{
		{Name: "random-seed", Values: []string{"0", "1", "2", "10"}},
		{Name: "eager", Values: []string{"true", "false"}, Default: "false"},
		{Name: "depth", Values: []string{"0", "1", "2", "10"}},
	}, readHelp(shortNames().ReplaceAllString(`Usage: stranger [OPTION] <filename>
where OPTION can be
  --help [-h]                     prints this help message and exits
  --verbose [-v]                  verbose run of the solver
  --random-seed [-r] <seed>       sets random seed to specific number
  --eager [-e]                    eager lemmas
  --depth=<level>                 how deep
  --produce-models [-m]           enable producing models
`, ""), true))
	names := func(text string) (out []string) {
		for _, o := range OptionsSaid(text) {
			out = append(out, o.Name)
		}
		return out
	}
	require.Equal(t, []string{"phase.mode", "random-seed"},
		names("(:options (:random-seed :phase.mode :produce-models :verbosity))\n(error \"no option :smtlark-no-such-option\")"))
	require.Equal(t, []string{"auto_config", "mbqi"}, names("unknown parameter, legal parameters are:\n  auto_config (bool) x\n  mbqi (bool) y\n"))
	require.Empty(t, names("unsupported\n"))
}
