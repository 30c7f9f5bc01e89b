package value_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/scripttest"
)

const placesFrame = `c = smt.case("(declare-sort U 0)(declare-const x Int)(declare-fun f (Int) U)(assert (=> (> x 1) (and (> x 1) (not (> x 1)))))(assert (= (f x) (f 7)))(check-sat)")
x = c.constants[0]
q = smt.case("(declare-const z Int)(assert (forall ((y Int)) (ite (> y 1) (> y z) (= (> y 1) true))))(check-sat)")
s = smt.case("(declare-const x Int)(assert (> x 1))(assert (< x 9))(set-info :status sat)(check-sat)(assert (< x 0))(set-info :status unsat)(check-sat)")
over, under, first, below, second = [k for k in s.commands() if k.name in ("assert", "check-sat")]
`

// TestOccurrences: one occurrence is replaced, with its place and polarity known.
func TestOccurrences(t *testing.T) {
	for body, want := range map[string]string{
		`a, b, d = c.occurrences(op = ">"); expect((a.polarity, b.polarity, d.polarity) == (-1, 1, -1) and d.path == (1, 1, 0))`:                       "",
		`a, b, d = c.occurrences(op = ">"); expect("(=> (> x 1) (and false (not (> x 1))))" in c.replace_at(b, False).text)`:                           "",
		`places = q.occurrences(op = ">"); expect([p.polarity for p in places] == [0, 1, 0] and str(places[0].binders) == "(y,)")`:                     "",
		`places = q.occurrences(sort = smt.Int, where = lambda t: t.kind != "literal"); expect([str(p.term) for p in places] == ["y", "y", "z", "y"])`: "",
		`p = q.occurrences(op = ">")[0]; expect("(< y z)" in q.replace_at(p, smt.lt(p.binders[0], q.constants[0])).text)`:                              "",
		`p = c.occurrences(op = "=>")[0]; expect(c.replace_at(p, True).asserts[0] == True or "(assert true)" in c.replace_at(p, True).text)`:           "",
		`f = c.functions[0]; expect((f.name, f.params, f.result) == ("f", (smt.Int,), c.sorts[0]) and str(f(x + 1)) == "(f (+ x 1))")`:                 "",
		`c.functions[0](True)`:                           "f: argument 1: got true of sort Bool, want sort Int",
		`c.functions[0](x, x)`:                           "f takes 1 arguments, got 2",
		`c.occurrences(op = ">>>")`:                      "",
		`c.occurrences(op = "bvaddd")`:                   `did you mean "bvadd"?`,
		`c.replace_at(c.occurrences(op = ">")[0], 7)`:    "the replacement of (> x 1): ",
		`c.replace_at(q.occurrences(op = ">")[0], True)`: "case.replace_at: the place is none of this case",
		`q.replace_at(q.occurrences(op = "forall")[0], q.occurrences(op = ">")[0].term)`:                      "y is not bound at the place",
		`k = c.replace_at(c.occurrences(op = ">")[0], False); k.replace_at(c.occurrences(op = ">")[0], True)`: "the place is none of this case",
	} {
		if err := scripttest.Run(t, placesFrame+body+"\n"); want == "" {
			require.NoError(t, err, body)
		} else {
			require.ErrorContains(t, err, want, body)
		}
	}
}

// TestCommands checks that commands are values, and that the known answers of a case follow from its assertions.
func TestCommands(t *testing.T) {
	for body, want := range map[string]string{
		`expect([k.name for k in s.commands()] == ["declare-const", "assert", "assert", "set-info", "check-sat", "assert", "set-info", "check-sat"])`: "",
		`k = s.with_commands([over, smt.push(), first, smt.pop(), first, under, first, below, second])
expect(k.expect == ("sat", "sat", "sat", "unsat") and "declare-const x" in k.text, k.text)`: "",
		`k = s.with_commands([over, under, smt.assert_(smt.eq(smt.const("fresh", smt.Int), 1)), first])
expect(k.expect == (None,) and "(declare-const fresh Int)" in k.text, k.text)`: "",
		`k = s.with_commands([over, under, below, smt.assert_(smt.gt(smt.const("x", smt.Int), 5)), smt.check_sat(), smt.get_model()])
expect(k.expect == ("unsat",) and k.text.count("declare-const") == 1, k.text)`: "",
		`k = s.with_commands([over, smt.check_sat([smt.lt(s.constants[0], 9)]), smt.get_value([s.constants[0]])])
expect(k.expect == ("sat",) and "(get-value (x))" in k.text, k.text)`: "",
		`s.with_commands([smt.pop()])`:                     "case.with_commands: (pop 1) is out of place: it closes a level that is not open",
		`s.with_commands([over, smt.push(2), smt.pop(3)])`: "(pop 3) is out of place",
		`s.with_commands(["(check-sat)"])`:                 "for parameter commands: element 0: got string, want a command",
		`s.with_commands([c.commands()[0], first])`:        "element 0: (declare-sort U 0) is a declaration of another case",
		`smt.push(0)`:                 "smt.push: for parameter levels: 0 is not between 1 and 1000",
		`smt.get_value([])`:           "for parameter terms: it is empty",
		`smt.assert_(s.constants[0])`: "got x of sort Int, want sort Bool",
	} {
		if err := scripttest.Run(t, placesFrame+body+"\n"); want == "" {
			require.NoError(t, err, body)
		} else {
			require.ErrorContains(t, err, want, body)
		}
	}
}
