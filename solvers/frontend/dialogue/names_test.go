package dialogue_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
)

// TestModelsHaveNoNamesOfTheFrontEnd: z3 says of assertions with a name what they are.
func TestModelsHaveNoNamesOfTheFrontEnd(t *testing.T) {
	got := talk(t, frontend.Options{Mode: frontend.Cached}, targetsOf(t, "z3"), "(declare-const x Int)(declare-const smtlark!1 Int)(push 1)(assert (> x 3))(assert (< x 5 smtlark!1))(check-sat)(get-model)")
	require.Contains(t, got, "define-fun x")
	require.Contains(t, got, "define-fun smtlark!1")
	require.NotContains(t, got, "smtlark!!")
}

// TestNamesOfTheFrontEnd: names that the front end makes are none of the client's, whether that declares its own before
// or behind them.
func TestNamesOfTheFrontEnd(t *testing.T) {
	for name, x := range map[string]struct {
		options         frontend.Options
		commands, reply string
	}{
		"before": {frontend.Options{Mode: frontend.Cached},
			"(declare-const smtlark!0 Int)(declare-const smtlark!1 Bool)(declare-datatype D ((smtlark!2 (smtlark!3 Int))))(push 1)(assert (> smtlark!0 3))(assert (not smtlark!1))(check-sat)(get-value (smtlark!1))(assert (< smtlark!0 2))(check-sat)",
			"sat\n((smtlark!1 false))\nunsat\n"},
		"behind": {frontend.Options{Mode: frontend.Cached},
			"(declare-const x Int)(push 1)(assert (> x 3))(assert (< x 9))(check-sat)(declare-const smtlark!1 Bool)(declare-const smtlark!!2 Bool)(assert (not smtlark!1))(assert smtlark!!2)(check-sat)(get-value (smtlark!1 smtlark!!2))(assert (! (< x 2) :named smtlark!!!1))(check-sat)",
			"sat\nsat\n((smtlark!1 false) (smtlark!!2 true))\nunsat\n"},
		"core": {frontend.Options{Mode: frontend.Cached},
			"(set-option :produce-unsat-cores true)(declare-const x Int)(push 1)(assert (> x 3))(assert (! (< x 5) :named five))(check-sat)(assert (! (< x 2) :named two))(check-sat)(get-unsat-core)",
			"sat\nunsat\n(two)\n"},
		"soft": {frontend.Options{},
			"(declare-const smtlark!soft!1 Bool)(declare-const p Bool)(assert (not smtlark!soft!1))(assert-soft p :id g)(assert-soft (not smtlark!soft!1) :id g)(check-sat)(get-value (p smtlark!soft!1))(get-objectives)(declare-const smtlark!!soft!1 Bool)(assert (not smtlark!!soft!1))(check-sat)(get-value (p smtlark!!soft!1))",
			"sat\n((p true) (smtlark!soft!1 false))\n(objectives\n (g 0)\n)\nsat\n((p true) (smtlark!!soft!1 false))\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFrontEnd(t, x.options)
			var out bytes.Buffer
			require.NoError(t, dialogue.New(s, strings.NewReader(x.commands), &out).Run(context.Background()))
			require.Equal(t, x.reply, out.String())
		})
	}
}
