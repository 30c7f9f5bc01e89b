package reduce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/scripttest"
)

const frame = `case = smt.case("(declare-const x Int)(declare-const y Int)(assert (or (> x 1) (< y 300)))(assert (= x 2))(check-sat)(push 1)(assert (> y x))(check-sat)(pop 1)")
def always(case): return True
def one(f): return reduce.passes(case, always, passes = [reduce.new_pass("mine", f)])
`

// TestPassErrors checks the error messages for mistakes in a pass.
func TestPassErrors(t *testing.T) {
	for body, want := range map[string]string{
		`one(lambda case: None)`:                                                               "pass mine: lambda returned NoneType, want a list of cases",
		`one(lambda case: [1])`:                                                                "pass mine: element 0 of what lambda returned is int, want a case",
		`one(lambda case: [smt.case("(check-sat)")])`:                                          "pass mine: element 0 of what lambda returned is not made of the case it was given: use case.replace",
		`one(lambda case: [case.nothing])`:                                                     "case has no field or method 'nothing'",
		`reduce.new_pass("asserts", always)`:                                                   `reduce.new_pass: for parameter name: "asserts" is a built-in pass`,
		`reduce.new_pass("Mine!", always)`:                                                     `"Mine!" is no name of small letters, digits and -`,
		`reduce.new_pass("mine", lambda a, b: [])`:                                             "lambda takes (a, b), want a function of (case)",
		`reduce.default(extra = [always])`:                                                     "reduce.default: for parameter extra: element 0: got function, want reduction_pass",
		`reduce.passes(case, always, passes = ["assert"])`:                                     `did you mean "asserts"?`,
		`reduce.ddmin([1, 2], lambda list: list.nothing)`:                                      "list has no field or method",
		`reduce.ddmin([1, 2], lambda: True)`:                                                   "want a function of (",
		`reduce.default(extra = [reduce.new_pass("a", always), reduce.new_pass("a", always)])`: `there are two passes "a"`,
	} {
		require.ErrorContains(t, scripttest.Run(t, frame+body+"\n"), want, body)
	}
}

// TestPasses checks that a pass continues from the cases that it made, that no text is tested twice, and that known
// answers are kept.
func TestPasses(t *testing.T) {
	for _, body := range []string{
		// The same candidate again and again costs one question.
		`asked = []
def fails(case):
    asked.append(case.text)
    return False
reduce.passes(case, fails, passes = [reduce.new_pass("mine", lambda case: [case.with_asserts(case.asserts[:1])] * 5)])
expect(len(asked) == 1, str(asked))`,
		// Candidates that are not smaller are not tested.
		`def fails(case): fail("asked about " + case.text)
reduce.passes(case, fails, passes = [reduce.new_pass("mine", lambda case: [case.with_asserts(case.asserts * 9)])])`,
		// A case that is known to be sat stays so: the witness does not satisfy (< x 0).
		`bare = smt.case("(declare-const x Int)(declare-const y Int)(assert (> (+ x (* 3 y)) 0))(check-sat)")
sat = bare.with_asserts(bare.asserts, answer = "sat", witness = bare.read_model("((define-fun x () Int 1) (define-fun y () Int 1))"))
x = bare.constants[0]
out = reduce.passes(sat, always, passes = [reduce.new_pass("mine", lambda case: [case.with_asserts([smt.lt(x, 0)]), case.with_asserts([smt.gt(x, 0)])])])
expect(out.asserts[0] == smt.gt(x, 0) and out.status == "sat", out.text)`,
		// It is called again after each step.
		`def smaller(case): return [case.replace(t, smt.int(t.value // 2)) for t in case.find(sort = smt.Int) if t.kind == "literal" and t.value > 4]
out = one(smaller)
expect("300" not in out.text and len(out.expect) == 2, out.text)`,
		`expect(reduce.ddmin([3, 8, 5, 9], lambda list: 8 in list and 9 in list) == [8, 9])
expect(reduce.ddmin((), lambda list: True) == [])
expect(len(reduce.ddmin(list(range(64)), lambda list: 63 in list, tests = 3)) < 64)`,
	} {
		require.NoError(t, scripttest.Run(t, frame+body+"\n"), body)
	}
}
