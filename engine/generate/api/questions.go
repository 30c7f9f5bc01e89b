package api

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// commandQuestions are scripts that each test one feature: an action of walks, or the subject of a rule about walks.
// option is the option of SMT-LIB that comes first.
var commandQuestions = []commandQuestion{
	{rule.Action.Of("push"), "", "(declare-const p Bool)\n(push 1)\n(assert p)\n(check-sat)\n(pop 1)\n(check-sat)\n"},
	{rule.Action.Of("pop"), "", "(declare-const p Bool)\n(push 2)\n(assert p)\n(check-sat)\n(pop 1)\n(pop 1)\n(check-sat)\n"},
	{rule.Action.Of("check-sat-assuming"), "", "(declare-const p Bool)\n(check-sat-assuming (p))\n(check-sat-assuming ((not p)))\n"},
	{rule.Action.Of("reset"), "", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(reset)\nHEAD(declare-const p Bool)\n(assert p)\n(check-sat)\n"},
	{rule.Action.Of("reset-assertions"), "", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(reset-assertions)\n(declare-const q Bool)\n(assert q)\n(check-sat)\n"},
	{rule.Action.Of("mk-fun"), "", "(define-fun f ((p Bool)) Bool (not p))\n(declare-const p Bool)\n(assert (f p))\n(check-sat)\n"},
	{rule.Action.Of("get-model"), "produce-models", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(get-model)\n"},
	{rule.Action.Of("get-value"), "produce-models", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(get-value (p))\n"},
	{rule.Action.Of("get-unsat-core"), "produce-unsat-cores",
		"(declare-const p Bool)\n(assert (! p :named a))\n(assert (! (not p) :named b))\n(check-sat)\n(get-unsat-core)\n"},
	{rule.Action.Of("get-unsat-assumptions"), "produce-unsat-assumptions",
		"(declare-const p Bool)\n(assert p)\n(check-sat-assuming ((not p)))\n(get-unsat-assumptions)\n"},
	{rule.Action.Of("get-proof"), "produce-proofs",
		"(declare-const p Bool)\n(assert p)\n(assert (not p))\n(check-sat)\n(get-proof)\n"},
	{rule.Action.Of("get-assertions"), "produce-assertions",
		"(declare-const p Bool)\n(assert p)\n(check-sat)\n(get-assertions)\n"},
	{rule.Action.Of("get-assignment"), "produce-assignments",
		"(declare-const p Bool)\n(assert (! p :named a))\n(check-sat)\n(get-assignment)\n"},
	{rule.Action.Of("get-info"), "", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(get-info :name)\n"},
	{rule.Action.Of("get-info"), "", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(get-info :version)\n"},
	{rule.Action.Of("get-option"), "", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(get-option :produce-models)\n"},
	{rule.Action.Of("echo"), "", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(echo \"echo\")\n"},
	{rule.Feature.Of(rule.EchoQuotes), "", "(declare-const p Bool)\n(assert p)\n(check-sat)\n(echo \"a \"\"b\"\" c\")\n"},
	{rule.Feature.Of(rule.NamedTerm), "", "(declare-const p Bool)\n(assert (! p :named a))\n(check-sat)\n"},
	{rule.Feature.Of(rule.AssumptionTerm), "", "(declare-const p Bool)\n(check-sat-assuming ((or p (not p))))\n"},
}

type commandQuestion struct {
	lack         rule.Lack
	option, text string
}

// standardOptions are the options of SMT-LIB that questions need.
var standardOptions = []string{"produce-models", "produce-unsat-cores", "produce-unsat-assumptions",
	"produce-assertions", "produce-assignments", "produce-proofs"}

// optionsOf are the options that are asked about: those of SMT-LIB, and those that a solver's own actions need.
func optionsOf(own []solvers.Action) (out []string) {
	for _, d := range own {
		if d.Option != "" && !slices.Contains(out, d.Option) && !slices.Contains(standardOptions, d.Option) {
			out = append(out, d.Option)
		}
	}
	return append(out, standardOptions...)
}

// questionsOf are the questions about commands, those of SMT-LIB and a solver's own. A solver's own commands that need
// a previous answer or an option are left out, since the script is too small for them.
func questionsOf(own []solvers.Action) []commandQuestion {
	out := slices.Clone(commandQuestions)
	filled := strings.NewReplacer("{formula}", "(and p p)", "{goal}", "(and p p)", "{term}", "p", "{name}", "A")
	for _, d := range own {
		if d.Option == "" && !d.NeedsModel && !d.ChangesProblem && d.State != "sat" && d.State != "unsat" {
			out = append(out, commandQuestion{
				lack: rule.Action.Of(d.Name),
				text: "(declare-const p Bool)\n" + filled.Replace(d.Commands[0]) + "\n(check-sat)\n",
			})
		}
	}
	return out
}

// CommandQuestions asks a solver for each action of walks that is a command; own are those of its profile.
func CommandQuestions(own []solvers.Action, head string) (out []learn.Question) {
	for _, c := range questionsOf(own) {
		q := learn.Question{Lack: c.lack, Head: head, Text: strings.ReplaceAll(c.text, "HEAD", head), Alone: true}
		if c.option != "" {
			q.Head = option(c.option) + head
		}
		out = append(out, q)
	}
	return out
}

func option(name string) string { return "(set-option :" + name + " true)\n" }

// LearnOptions asks a solver which options of SMT-LIB it takes, and which it does not take together or beside an
// action. excluded has the features that it lacks by its profile; these are not asked about together with others.
func LearnOptions(
	own []solvers.Action, excluded []rule.Lack, head string, takes func(script string) (bool, error),
) (refuses, asked []rule.Lack, err error) {
	options := optionsOf(own)
	m := &OptionModel{}
	base := "(declare-const p Bool)\n(assert p)\n(check-sat)\n"
	err = m.Learn(options, func(set []rule.Setting) (bool, error) {
		var b strings.Builder
		for _, s := range set {
			b.WriteString(option(s.Name))
		}
		return takes(b.String() + head + base)
	})
	if err != nil || m.Refused == nil {
		return nil, nil, err
	}
	name := func(pair string) string { return strings.TrimSuffix(pair, "=true") }
	var together []string
	for _, s := range options {
		serves := func(c commandQuestion) bool { return c.option == s && slices.Contains(excluded, c.lack) }
		if !slices.ContainsFunc(commandQuestions, serves) {
			asked = append(asked, rule.Option.Of(s)) // else the command that uses the option is lacking
		}
		if m.Refused[s+"=true"] {
			refuses = append(refuses, rule.Option.Of(s))
		} else if !slices.ContainsFunc(m.Conflicts, func(c [2]string) bool {
			return name(c[0]) == s && slices.Contains(together, name(c[1])) || name(c[1]) == s &&
				slices.Contains(together, name(c[0]))
		}) {
			together = append(together, s)
		}
	}
	for _, c := range m.Conflicts {
		refuses = append(refuses, rule.Conflict.With(name(c[0]), name(c[1])))
	}
	more, err := optionActions(own, together, slices.Concat(excluded, refuses), head, takes)
	return append(refuses, more...), asked, err
}

// optionActions finds options that conflict with an action. It sets all options at once. If the action is then refused,
// it sets each option alone, together with the option that the action needs.
func optionActions(
	own []solvers.Action, options []string, excluded []rule.Lack, head string, takes func(script string) (bool, error),
) (conflicts []rule.Lack, err error) {
	for _, c := range questionsOf(own) {
		needsOption := c.option != "" && !slices.Contains(options, c.option)
		if c.lack.Kind != rule.Action || slices.Contains(excluded, c.lack) || needsOption {
			continue
		}
		script := func(set ...string) string {
			var b strings.Builder
			for _, o := range set {
				b.WriteString(option(o))
			}
			return b.String() + head + strings.ReplaceAll(c.text, "HEAD", head)
		}
		if ok, err := takes(script(options...)); ok || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		for _, o := range options {
			set := []string{c.option, o}
			if c.option == "" || c.option == o {
				set = []string{o}
			}
			ok, err := takes(script(set...))
			if err != nil {
				return nil, err
			}
			conflict := rule.Conflict.With(o, c.lack.Of)
			if !ok && o != c.option && !slices.Contains(conflicts, conflict) {
				conflicts = append(conflicts, conflict)
			}
		}
	}
	return conflicts, nil
}

// logicTheories are the theories that logics name, each with a formula over it.
var logicTheories = []struct{ theory, text string }{
	{"Quantifiers", "(assert (exists ((x Bool)) x))\n"},
	{"ArraysEx", ""}, // needs another sort: see LogicQuestions
	{"UF", "(declare-fun f (Bool) Bool)\n(assert (f true))\n"},
	{"FixedSizeBitVectors", "(declare-const v (_ BitVec 9))\n(assert (bvule v (bvnot v)))\n"},
	{"FiniteFields", "(declare-const m (_ FiniteField 7))\n(assert (= m (ff.add m m)))\n"},
	{"FloatingPoint", "(declare-const w (_ FloatingPoint 8 24))\n(assert (fp.leq w w))\n"},
	{"Datatypes", "(declare-datatypes ((D 0)) (((c) (k (g Bool)))))\n(declare-const d D)\n(assert ((_ is c) d))\n"},
	{"Strings", "(declare-const s String)\n(assert (= s \"a\"))\n"},
	{"Ints", "(declare-const i Int)\n(assert (<= 0 i))\n"},
	{"Reals", "(declare-const r Real)\n(assert (<= 0.0 r))\n"},
}

// maxLogics bounds the number of logics that are asked about. If there are more, the logics with few theories and with
// all but few theories are asked about.
const maxLogics = 160

// LogicQuestions asks a solver with some theories for each logic that walks name, with a formula over each of its
// theories. excluded has the features that it lacks by its profile: logics with a theory that the solver knows only in
// the logic ALL are skipped.
func LogicQuestions(theories []string, excluded []rule.Lack) (out []learn.Question) {
	var own []int
	for i, t := range logicTheories {
		lacks := slices.Contains(excluded, rule.LogicAll.Of(t.theory)) || slices.Contains(excluded, rule.Theory.Of(t.theory))
		if slices.Contains(theories, t.theory) && !lacks {
			own = append(own, i)
		}
	}
	both := slices.Contains(theories, "Ints") && slices.Contains(theories, "FixedSizeBitVectors")
	if both && !slices.Contains(excluded, rule.Operator.Of("int_to_bv")) {
		out = append(out, learn.Question{
			Lack: rule.LogicAll.Of("FixedSizeBitVectors+Ints"), Head: "(set-logic QF_BVLIA)\n", Group: "conversions", Each: true,
			Text: "(declare-const v (_ BitVec 9))\n(declare-const i Int)\n(assert (= v ((_ int_to_bv 9) i)))\n(assert (= i (ubv_to_int v)))\n"})
	}
	var arrays []learn.Question
	few := 0
	// Many theories make more logics than can be asked about: small combinations, and those of nearly all theories, tell
	// the most.
	for few = len(own); few > 2 && combinations(len(own), few) > maxLogics; few-- {
	}
	seen := map[string]bool{}
	for set := range 1 << len(own) {
		on, text, n := map[string]bool{"Core": true}, "", 0
		for k, i := range own {
			if set&(1<<k) != 0 {
				on[logicTheories[i].theory] = true
				text += logicTheories[i].text
				n++
			}
		}
		if n > few && n < len(own)-1 {
			continue
		}
		if on["ArraysEx"] {
			text += "(declare-const a (Array " + logicArray(on) + "))\n(assert (= a a))\n"
		}
		for _, linear := range []bool{true, false} {
			name := gen.Logic(on, linear)
			if seen[name] || name == "ALL" {
				continue
			}
			seen[name] = true
			var needs rule.Lack
			if on["FiniteFields"] {
				needs = rule.Sort.Of("FiniteField")
			}
			head, text := "(set-logic "+name+")\n", text
			if !linear {
				text += product(on)
			}
			lack := rule.Logic.Of(name)
			out = append(out, learn.Question{Lack: lack, Head: head, Text: text, Group: "logics", Each: true, Needs: needs})
			if on["ArraysEx"] && on["FixedSizeBitVectors"] {
				arrays = append(arrays, learn.Question{
					Lack: rule.BitVectorArrays.Of(name), Head: head, Group: "arrays of logics", Each: true, Needs: lack,
					Text: "(declare-const a (Array Bool Bool))\n(assert (= a a))\n"})
			}
		}
	}
	return append(out, arrays...)
}

// product is a formula that no linear logic has.
func product(on map[string]bool) string {
	sort := "Int"
	if !on["Ints"] {
		sort = "Real"
	}
	return "(declare-const n " + sort + ")\n(assert (= (* n n) n))\n"
}

// logicArray is the index and the element of an array in a logic.
func logicArray(on map[string]bool) string {
	switch {
	case on["FixedSizeBitVectors"]:
		return "(_ BitVec 9) (_ BitVec 9)"
	case on["Ints"] && on["Reals"]:
		return "Int Real"
	case on["Ints"]:
		return "Int Int"
	case on["Reals"]:
		return "Real Real"
	}
	return "Bool Bool"
}

// combinations counts the subsets of n elements that have at most k elements.
func combinations(n, k int) int {
	sum, c := 0, 1
	for i := 0; i <= k; i++ {
		sum += c
		c = c * (n - i) / (i + 1)
	}
	return sum
}
