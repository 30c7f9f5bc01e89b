package api_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestMessages: what an author reads of managers for a case.
func TestMessagesOfModule(t *testing.T) {
	scripttest.Messages(t, `c = smt.case("(set-logic QF_LIA)(declare-const x Int)(declare-fun f (Int) Int)(assert (> x 1))(assert (or (< x 9) (= (f x) 2)))(check-sat)")`, []scripttest.Message{
		{`gen.manager(1)`, `gen.manager: for parameter case: got int 1, want case or None`},
		{`gen.manager(c, theories = ["x"])`, `gen.manager: "x" is no theory; there are Array, BV, Bag, DT, FF, FP, Int, Real, Seq, Set, String, Transcendental, UF`},
		{`gen.manager(c, theories = "BV")`, `gen.manager: for parameter theories: got string "BV", want a list of str or None; is ["BV"] meant?`},
		{`gen.manager(max_width = -1)`, `gen.manager: for parameter max_width: -1 is below 0`},
		{`gen.manager(targets = 1)`, `gen.manager: for parameter targets: got int 1, want a list of solver, solver or None`},
		{`gen.manager(targets = [1])`, `gen.manager: for parameter targets: element 0: got int 1, want solver`},
		{`gen.manager(targets = [])`, `gen.manager: for parameter targets: it is empty; None stands for those of the campaign`},
	})
}
