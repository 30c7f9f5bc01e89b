package fusion_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/scripttest"

	script "github.com/smtlark/smtlark/starlark"
)

// TestFunctionErrors checks the error messages for wrong or unsuitable functions of a generator.
func TestFunctionErrors(t *testing.T) {
	const names = `x, y, p, u, b = smt.const("x", smt.Int), smt.const("y", smt.Int), smt.const("p", smt.Bool), smt.const("u", smt.Sort("U")), smt.const("b", smt.BitVec(8))
add = fusion.operator("int.add", sorts = [smt.Int, smt.Int], result = smt.Int, proven = True,
    apply = lambda x, y: x + y, inverse = [lambda z, x, y: z - y, lambda z, x, y: z - x])
most = fusion.operator("int.max", sorts = [smt.Int, smt.Int], result = smt.Int, proven = True,
    apply = lambda x, y: smt.ite(smt.gt(x, y), x, y), inverse = [None, None])
def f(*args, **kw): return fusion.function(*args, **kw)
`
	for body, want := range map[string]string{
		`f([x, y], lambda x, y: x + y, [lambda z, x, y: z - x, lambda z, x, y: z - y])`:                    "fusion.function: for parameter inverse: inverse 1 is wrong: it does not give x back where x = ",
		`f([b], lambda b: smt.bvmul(b, smt.bv(2, 8)), lambda i, z, v: smt.bvudiv(z, smt.bv(2, 8)))`:        "inverse 1 is wrong: it does not give b back where b = ",
		`f([x, y], lambda x, y: x + y, [lambda z, x, y: z - y])`:                                           "there are 1 inverses for 2 inputs",
		`f([x, y], lambda x, y: x + y)`:                                                                    "there are 0 inverses for 2 inputs",
		`f([x, y], lambda x, y: x + y, lambda i, z, v: p)`:                                                 "inverse 1: got p of sort Bool, want sort Int",
		`f([x, y], lambda x, y: 7, lambda i, z, v: z)`:                                                     "for parameter apply: it returned int, want a term or a node",
		`f([x, x], lambda x, y: x + y, lambda i, z, v: z)`:                                                 "element 1: x is no constant, or there twice",
		`f([x + y], lambda x: x, lambda i, z, v: z)`:                                                       "element 0: (+ x y) is no constant",
		`f([], lambda: x, lambda i, z, v: z)`:                                                              "want at least one constant",
		`f([u], lambda u: smt.eq(u, u), lambda i, z, v: u)`:                                                "u of sort U: functions over declared sorts and datatypes cannot be proven",
		`f([x], lambda x: smt.apply("g", [x], smt.Int), lambda i, z, v: x)`:                                "g cannot occur in a fusion function",
		`f([x, y], fusion.node(add, [x, 7]))`:                                                              "the input y does not occur in the function",
		`f([x], fusion.node(most, [x, 7]))`:                                                                "operator int.max has no inverse for argument 1",
		`f([x, y], fusion.node(add, [x, y]), lambda i, z, v: z)`:                                           "the inverses of a tree follow from its operators",
		`fusion.node(add, [x])`:                                                                            "operator int.add (Int Int -> Int) takes 2 arguments, got 1",
		`fusion.node(add, [x, p])`:                                                                         "argument 2 of operator int.add (Int Int -> Int) has sort Bool",
		`fusion.node(add, [x, "seven"])`:                                                                   "element 1: got \"seven\" of sort String, want sort Int",
		`fusion.node(add, [x, y], variant = -1)`:                                                           "for parameter variant: -1 is below 0",
		`fusion.node(add, [x, y], result = smt.Bool)`:                                                      "operator int.add (Int Int -> Int) does not give the sort Bool",
		`fusion.table([add]).fitting(["Int"])`:                                                             "element 0: got string, want a sort, a term, a node or None",
		`fusion.operator("o", sorts = [smt.Int], result = smt.Int, apply = lambda x: x, inverse = [None])`: "",
	} {
		if err := scripttest.Run(t, names+body+"\n"); want == "" {
			require.NoError(t, err, body)
		} else {
			require.ErrorContains(t, err, want, body)
		}
	}
}

// TestGenerators checks which results of a generator are allowed.
func TestGenerators(t *testing.T) {
	const frame = `a = smt.case("(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (> x 1))(check-sat)")
b = smt.case("(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (< x 0))(check-sat)")
add = fusion.operator("int.add", sorts = [smt.Int, smt.Int], result = smt.Int, proven = True,
    apply = lambda x, y: x + y, inverse = [lambda z, x, y: z - y, lambda z, x, y: z - x])
table = fusion.table([add])
j = fusion.join([a, b])
`
	for body, want := range map[string]string{
		`j.fuse(lambda rng, inputs: 7, rng(1))`:                                                            "lambda returned int, want a fusion_function of its inputs, or None",
		`j.fuse(lambda rng, inputs: fusion.function(inputs[:1], inputs[0]), rng(1))`:                       "want one of its inputs",
		`j.fuse(lambda rng: None, rng(1))`:                                                                 "lambda takes (rng), want a function of (rng, list)",
		`expect(not j.fuse(lambda rng, inputs: None, rng(1)))`:                                             "",
		`expect(j.fuse(table.function, rng(1)) and j.case(rng(1), "sat").status == "sat")`:                 "",
		`expect(j.fuse(lambda rng, inputs: fusion.function(inputs, fusion.node(add, inputs)), rng(1)))`:    "",
		`j.fuse(table.function, rng(1)); expect(len(j.functions) == 1 and str(j.functions[0].z) == "z!0")`: "",
		`expect(not j.fuse(lambda r, ins: fusion.function(ins, lambda *v: smt.to_real(v[0] + v[1]), lambda i, z, v: smt.to_int(z) - v[1 - i], proven = True), rng(1), keep_logic = True))`: "",
	} {
		if err := scripttest.Run(t, frame+body+"\n"); want == "" {
			require.NoError(t, err, body)
		} else {
			require.ErrorContains(t, err, want, body)
		}
	}
}

// TestUnprovenFunction: what evaluation cannot refute and no solver proves is refused.
func TestUnprovenFunction(t *testing.T) {
	if _, err := script.Supply().Find("z3", ""); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	// x * x * x * x * x * x * x is injective over the integers: no solver finds that out.
	src := `x = smt.const("x", smt.Int)
power = lambda x: x * x * x * x * x * x * x
y = smt.const("y", smt.Int)
fusion.function([x, y], lambda x, y: power(x) + y, [lambda z, x, y: smt.ite(smt.eq(power(x), power(x + y - y)), smt.ite(smt.eq(smt.mod(power(x) - x, 7), 0), x, x + 1), x), lambda z, x, y: z - power(x)]BY)
`
	err := scripttest.Run(t, strings.Replace(src, "BY", `, by = solver("z3")`, 1))
	require.ErrorContains(t, err, "is not proven within 3s: ")
	require.ErrorContains(t, err, "t.star:4:16")
	require.NoError(t, scripttest.Run(t, strings.Replace(src, "BY", ", proven = True", 1)))
}
