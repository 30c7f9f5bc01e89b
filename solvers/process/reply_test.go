package process

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers"
)

func TestNextItem(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"sat\n", []string{"sat"}},
		{"sat", []string{"sat"}},
		{" success\nunsat \n", []string{"success", "unsat"}},
		{"; a comment\nsat\n", []string{"sat"}},
		{"(\n (define-fun x () String \")\")\n)\nsat\n", []string{"(\n (define-fun x () String \")\")\n)", "sat"}},
		{"(error \"junk (\"FOO\") at end\")\nsat\n", []string{"(error \"junk (\"FOO\") at end\")", "sat"}},
		{"(error \"a\n  (echo \"m1\"...\n ^\n\")\nsat\n", []string{"(error \"a\n  (echo \"m1\"...\n ^\n\")", "sat"}},
		{"(error \"never ends", []string{"(error \"never ends"}},
		{"((a) sat\n", []string{"((a) sat"}},
		{"(|a)b| \"x\"\"y)\") sat", []string{"(|a)b| \"x\"\"y)\")", "sat"}},
	} {
		var got []string
		for out := []byte(c.in); len(out) > 0; {
			var item string
			if item, out = nextItem(out); item != "" {
				got = append(got, item)
			}
		}
		require.Equal(t, c.want, got, c.in)
	}
}

func FuzzNextItem(f *testing.F) {
	for _, s := range []string{"(error \"x\")\nsat", "(((", "|", "\"", "; x", "sat\r\n", ")"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		for n := len(out); len(out) > 0; n = len(out) {
			if _, out = nextItem(out); len(out) >= n {
				t.Fatalf("no progress at %q", out)
			}
		}
	})
}

// However the stream is cut into reads, the framer finds the same segments.
func TestFramerIgnoresHowOutputArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quoted := rapid.Bool().Draw(t, "quoted")
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"", "sat\n", "unsat", "(model\n)\n", "smtlark-12345678-0x\n", "  smtlark-12345679-1\n", "(error \"(echo \"smtlark-12345678-9\")\n", "...(echo \"smtlark-12345678-1\n", "\n\n",
		}), 1, 6).Draw(t, "parts")
		var stream strings.Builder
		for i, p := range parts {
			stream.WriteString(p)
			m := fmt.Sprintf("smtlark-12345678-%d", i)
			if quoted {
				m = `"` + m + `"`
			}
			stream.WriteString(m + "\n")
		}
		var f framer
		f.beginRun("smtlark-12345678-", len(parts))
		var got []string
		for rest := stream.String(); rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			f.buf = append(f.buf, rest[:n]...)
			rest = rest[n:]
			for {
				part, ok := f.cutAtMarker()
				if !ok {
					break
				}
				got = append(got, string(part))
			}
		}
		require.Empty(t, f.broken)
		require.Equal(t, parts, got)
	})
}

func TestSurvey(t *testing.T) {
	f := surveyQuery(commands("(set-option :a b)", "(set-logic QF_BV)", "(declare-const x Bool)", "(push)", "( push 2)", "(pop 1)", "(check-sat)"), &solvers.Profile{})
	require.Equal(t, 2, f.leading)
	require.Equal(t, 2, f.depth)
	require.Equal(t, "(set-option :a b)", f.options)
	require.Equal(t, "(set-option :a b)(set-logic QF_BV)", f.key)
	require.True(t, f.incremental)
	require.Empty(t, f.unsafe)
	for text, want := range map[string]string{
		"(pop 1)": "pops more than it pushed", "(reset)": "contains reset", "(reset-assertions)": "contains reset-assertions",
		"(set-option :x 1)": "sets an option in the middle", "(set-logic QF_S)": "sets the logic in the middle", "(rule x)": "contains rule",
	} {
		require.Equal(t, want, surveyQuery(commands("(assert true)", text), &solvers.Profile{}).unsafe)
	}
	require.Empty(t, surveyQuery(commands("(exit)", "(reset)"), &solvers.Profile{}).unsafe, "not reached")
	require.False(t, surveyQuery(commands("(check-sat)"), &solvers.Profile{}).incremental)
	require.True(t, surveyQuery(commands("(check-sat)", "(check-sat)"), &solvers.Profile{}).incremental)
	require.True(t, surveyQuery(commands("(assert |a\nb|)"), &solvers.Profile{}).multiline)
	require.False(t, surveyQuery(commands("(assert (and ; \"comment\n |a b|))", "(set-info :x |a\nb|)"), &solvers.Profile{}).multiline)
}

// If a case contains a reset, the options for the models or cores asked for beside it must be sent again after the
// reset.
func TestOptionsOfModelsComeAgainAfterReset(t *testing.T) {
	const models = "(set-option :produce-models true)"
	for _, keeps := range []bool{false, true} {
		b := &planner{profile: &solvers.Profile{Dialect: solvers.Dialect{ResetKeepsOptions: keeps}, OptionSyntax: solvers.OptionSyntax{ModelOptions: []string{models}}}}
		q := commands("(check-sat)", "(reset)", "(set-logic QF_BV)", "(check-sat)")
		for _, asked := range []*solvers.Query{q, q.WithModel()} {
			b.beginPlan(asked)
			b.addCommands(asked, 0, true)
			_, behind, _ := strings.Cut(string(b.text), "(reset)")
			require.Equal(t, asked.Models && !keeps, strings.Contains(behind, models))
		}
	}
}

func TestPlanPutsMarkersWhereRepliesChangeKind(t *testing.T) {
	b := &planner{profile: &solvers.Profile{Dialect: solvers.Dialect{MultilineTokens: true}}}
	q := commands("(set-logic QF_BV)", "(declare-const x Bool)", "(assert x)", "(check-sat)", "(get-model)", "(get-value (x))", "(push 1)", "(check-sat)", "(exit)", "(check-sat)")
	b.beginPlan(q)
	b.addCommands(q, 0, true)
	var kinds []kind
	for _, s := range b.segments {
		kinds = append(kinds, s.kind)
	}
	require.Equal(t, []kind{settings, check, value, value, check}, kinds)
	require.Equal(t, 5, strings.Count(string(b.text), "(echo \"smtlark-"))
	require.NotContains(t, string(b.text), "(exit)")
	require.Equal(t, len(b.text), b.segments[4].end)
	require.Equal(t, []int{0, 1}, []int{b.segments[1].slot, b.segments[4].slot})
}

// Where a solver stopped in the middle of a value is chance: it is no message, and causes are not told apart by it.
func TestPieceOfAValueIsNoMessage(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "mine", "binaries": []string{"mine"}}, nil)
	require.NoError(t, err)
	for _, c := range []struct {
		kind kind
		out  string
		want string
	}{
		{value, "((x (store a\n  (store", "SIGSEGV"},
		{value, "((x (store a\n  b)))", "SIGSEGV"},
		{value, "((x a))\n((y b)) died", "SIGSEGV: ((y b)) died"},
		{value, "((x (store a\nmine: a.c:3: f: Assertion `x > 0' failed.", "mine: a.c:3: f: Assertion `x > 0' failed."},
		{value, "Aborted by mine", "SIGSEGV: Aborted by mine"},
		{check, "Aborted (by mine", "SIGSEGV: Aborted (by mine"},
	} {
		r := &reader{run: &solvers.Run{Answers: make([]smtlib.Answer, 1), Values: make([]string, 1), Signal: "SIGSEGV"}, profile: p}
		r.readPartial(&segment{kind: c.kind}, []byte(c.out), true)
		r.settleClass(solvers.Invalid, "", solvers.Limits{}, false, true)
		require.Equal(t, c.want, r.run.Message, c.out)
	}
	r := &reader{run: &solvers.Run{Answers: make([]smtlib.Answer, 1), Signal: "SIGSEGV"}, profile: p}
	r.readUnmarked([]byte("sat\n((x (store a\n  (store"), "")
	r.settleClass(solvers.Invalid, "", solvers.Limits{}, false, true)
	require.Equal(t, "SIGSEGV", r.run.Message, "an input that was given whole")
}

// Statistics, and further output of a target with its own arguments, are not garbage; a second answer is.
func TestWhatIsToldBesideAnswers(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "mine", "binaries": []string{"mine"}}, nil)
	require.NoError(t, err)
	for _, c := range []struct {
		out   string
		talks bool
		class solvers.Class
	}{
		{"sat\n(:added-eqs 7\n :time 0.01)\n", false, solvers.OK},
		{"sat\nconflicts: 7\n", false, solvers.Garbage},
		{"verbose: begin\nsat\nconflicts: 7\n", true, solvers.OK},
		{"sat\nunsat\n", true, solvers.Garbage},
		{"conflicts: 7\n", true, solvers.Garbage},
	} {
		r := &reader{run: &solvers.Run{Answers: make([]smtlib.Answer, 1)}, profile: p, talks: c.talks}
		complete := r.readPlain([]byte(c.out), nil, &solvers.Query{})
		r.settleClass(solvers.Invalid, "", solvers.Limits{}, complete, false)
		require.Equal(t, c.class, r.run.Class, c.out)
	}
}

// Lines that the profile says mean nothing are neither answers nor values of an input that was given whole, and no
// garbage.
func TestIgnoredLinesOfAWholeInput(t *testing.T) {
	p, err := solvers.ProfileFromMap(map[string]any{"name": "mine", "binaries": []string{"mine"}, "ignore": []string{`^\[mine\] warning:`}}, nil)
	require.NoError(t, err)
	for out, class := range map[string]solvers.Class{
		"[mine] warning: it is late\nsat\n[mine] warning: it is later\n((x true))\n": solvers.OK,
		"[mine] notice: it is late\nsat\n((x true))\n":                               solvers.Garbage,
	} {
		r := &reader{run: &solvers.Run{Answers: make([]smtlib.Answer, 1), Values: make([]string, 1)}, profile: p}
		r.settleClass(solvers.Invalid, "", solvers.Limits{}, r.readPlain([]byte(out), nil, &solvers.Query{}), false)
		require.Equal(t, class, r.run.Class, out)
		require.Equal(t, smtlib.Sat, r.run.Answers[0])
		require.Equal(t, "((x true))", r.run.Values[0])
	}
}
