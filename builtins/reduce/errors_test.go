package reduce_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestMessages: what an author reads of reducers and passes.
func TestMessages(t *testing.T) {
	scripttest.Messages(t, `c = smt.case("(set-logic QF_LIA)(declare-const x Int)(declare-fun f (Int) Int)(assert (> x 1))(assert (or (< x 9) (= (f x) 2)))(check-sat)")
fails = lambda case: True`, []scripttest.Message{
		{`reduce.ddmin(1)`, `reduce.ddmin: for parameter case: got int 1, want case, list or tuple`},
		{`reduce.ddmin(c)`, `reduce.ddmin: missing argument for fails; usage: reduce.ddmin(case, fails, *, parts = "asserts", tests = 0)`},
		{`reduce.ddmin(c, fails = 1)`, `reduce.ddmin: for parameter fails: got int 1, want a function of (case)`},
		{`reduce.ddmin(c, fails = lambda: 1)`, `reduce.ddmin: for parameter fails: lambda takes (), want a function of (case)`},
		{`reduce.ddmin(c, fails = fails, parts = "terms")`, `reduce.ddmin: for parameter parts: got "terms", want "asserts", "commands", "declarations", "options" or "arguments"`},
		{`reduce.ddmin(c, fails = fails, parts = [1, 2])`, `reduce.ddmin: for parameter parts: got list, want "asserts", "commands", "declarations", "options" or "arguments"`},
		{`reduce.ddmin(c, fails = fails, tests = -1)`, `reduce.ddmin: for parameter tests: -1 is below 0`},
		{`reduce.terms(1, fails)`, `reduce.terms: for parameter case: got int 1, want case`},
		{`reduce.terms(c, 1)`, `reduce.terms: for parameter fails: got int 1, want a function of (case)`},
		{`reduce.terms(c, fails, passes = ["x"])`, `reduce.terms: for parameter passes: element 0: "x" is no pass (there are: descendant, constant, child, join, argument, value, fold, simplify,`},
		{`reduce.terms(c, fails, passes = "child")`, `reduce.terms: for parameter passes: got string "child", want a list of str or None; is ["child"] meant?`},
		{`reduce.terms(c, fails, tests = -1)`, `reduce.terms: for parameter tests: -1 is below 0`},
		{`reduce.names(c)`, `reduce.names: missing argument for fails; usage: reduce.names(case, fails)`},
		{`reduce.names(1, fails)`, `reduce.names: for parameter case: got int 1, want case`},
		{`reduce.passes(c, fails)`, `reduce.passes: missing argument for passes; usage: reduce.passes(case, fails, *, passes, tests = 0)`},
		{`reduce.passes(c, fails, passes = ["nope"])`, `reduce.passes: for parameter passes: element 0: "nope" is no pass (there are: declarations, asserts, scopes, commands, options, setting, text, checks,`},
		{`reduce.passes(c, fails, passes = [1])`, `reduce.passes: for parameter passes: element 0: got int 1, want str or reduction_pass`},
		{`reduce.passes(c, fails, passes = ["namse"])`, `reduce.passes: for parameter passes: element 0: "namse" is no pass (did you mean "names"?)`},
		{`reduce.default(-1)`, `reduce.default: for parameter tests: -1 is below 0`},
		{`reduce.default("x")`, `reduce.default: for parameter tests: got string "x", want a count (a whole number from 0 up)`},
		{`reduce.default(extra = [1])`, `reduce.default: for parameter extra: element 0: got int 1, want reduction_pass`},
		{`reduce.default(extra = reduce.new_pass("a", lambda c: []))`, `reduce.default: for parameter extra: got reduction_pass, want a list of reduction_pass; put it into a list: [...]`},
		{`reduce.default(extra = [reduce.new_pass("names", lambda c: [])])`, `reduce.new_pass: for parameter name: "names" is a built-in pass`},
		{`reduce.default(extra = [reduce.new_pass("a", lambda c: []), reduce.new_pass("a", lambda c: [])])`, `reduce.default: for parameter extra: element 1: there are two passes "a"`},
		{`reduce.new_pass("", lambda c: [])`, `reduce.new_pass: for parameter name: "" is no name of small letters, digits and -`},
		{`reduce.new_pass("A b", lambda c: [])`, `reduce.new_pass: for parameter name: "A b" is no name of small letters, digits and -`},
		{`reduce.new_pass("names", lambda c: [])`, `reduce.new_pass: for parameter name: "names" is a built-in pass`},
		{`reduce.new_pass("a", 1)`, `reduce.new_pass: for parameter candidates: got int 1, want a function of (case)`},
		{`reduce.new_pass("a", lambda: [])`, `reduce.new_pass: for parameter candidates: lambda takes (), want a function of (case)`},
		{`reduce.new_pass(lambda c: [], "a")`, `reduce.new_pass: for parameter name: got function, want str`},
		{`reduce.passes(c, fails, passes = [reduce.new_pass("a", lambda c: 1)])`, `reduce.passes: pass a: lambda returned int, want a list of cases`},
		{`reduce.passes(c, fails, passes = [reduce.new_pass("a", lambda c: [1])])`, `reduce.passes: pass a: element 0 of what lambda returned is int, want a case`},
	})
}
