package oracle

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
)

// Model reports models that do not satisfy the assertions. Each target is asked for a model after each sat, and the
// model is checked by evaluation, so one target suffices and none is trusted. A model that cannot be read, and an
// assertion whose value in it is unknown, are never a bug. Of each kind of solver the first such check-sat counts.
func Model() Oracle { return modelOracle{} }

type modelOracle struct{}

func (modelOracle) Name() string { return KindInvalidModel }

// NeedsModels implements ModelUser.
func (modelOracle) NeedsModels() bool { return true }

func (o modelOracle) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	slots := modelSlots(c.Script)
	var order []string
	bad := map[string][]*solvers.Run{}
	found := map[string]*Verdict{}
	for _, r := range runs {
		v := o.checkModels(c, r, slots)
		if v == nil {
			continue
		}
		kind := KindOfSolver(r.Solver, r.Version)
		if found[kind] == nil {
			found[kind] = v
			order = append(order, kind)
		}
		if found[kind].Check == v.Check {
			bad[kind] = append(bad[kind], r)
		}
	}
	var verdicts []Verdict
	for _, kind := range order {
		v, wrong := found[kind], bad[kind]
		v.Target, v.Targets = wrong[0].Target, targetNames(wrong)
		v.Summary = fmt.Sprintf("%s %s a model%s that does not satisfy an assertion", solverNames(wrong), verbFor(wrong, "gives", "give"), checkText(c, v.Check))
		verdicts = append(verdicts, *v)
	}
	return verdicts
}

// slot locates the model of a check-sat among the values of a run.
type slot struct {
	command int // number of the check-sat among the commands
	value   int // index into Run.Values
}

// modelSlots finds the models in the replies to Query.WithModel, one for each check-sat.
func modelSlots(s *smtlib.Script) []slot {
	var slots []slot
	value := 0
	for i := range s.Commands {
		c := &s.Commands[i]
		switch solvers.ReplyTo(c.Kind, c.Name) {
		case solvers.AnswerReply:
			slots = append(slots, slot{i, value})
			value++
		case solvers.ValueReply:
			value++
		}
	}
	return slots
}

// ModelAt returns the model that a run of Query.WithModel gives at a check-sat that it answers sat; "" if there is
// none.
func ModelAt(s *smtlib.Script, r *solvers.Run, check int) string {
	slots := modelSlots(s)
	if check >= len(slots) || answerAt(r, check) != smtlib.Sat || slots[check].value >= len(r.Values) {
		return ""
	}
	text := r.Values[slots[check].value]
	if strings.HasPrefix(text, "(error") {
		return ""
	}
	return text
}

// checkModels looks at the models of one run until it finds one that is wrong.
func (o modelOracle) checkModels(c *testcase.Case, r *solvers.Run, slots []slot) *Verdict {
	if len(r.Values) == 0 {
		return nil
	}
	for i, at := range slots {
		text := ModelAt(c.Script, r, i)
		if text == "" || r.IsRounded(text) {
			continue
		}
		script := c.Script.WithCommands(c.Script.Commands[:at.command+1])
		m, err := modelreader.Parse(script, text)
		if err != nil {
			continue
		}
		asserts := script.Asserts()
		if v := eval.CheckTerms(newEvaluator(script.Arena, m, asserts), asserts); v.Result == value.False {
			return &Verdict{Oracle: o.Name(), Kind: KindInvalidModel, Got: smtlib.Sat, Check: i, Detail: modelDetail(script, v, text)}
		}
	}
	return nil
}

// Bounds of one question about a model. A model is checked for each answer, so the check should take only a small part
// of the time that the solver took for the answer, which grows with the problem. A limit in clock time would lead to
// other findings on a busy machine than on an idle one. Quantifiers that need more count as unknown.
const (
	baseSteps    = 1 << 13 // some milliseconds
	stepsPerTerm = 1 << 5
	maxSteps     = 1 << 19 // a quarter of a second
	maxInstances = 1 << 13
)

// newEvaluator returns one in a model for a question about terms.
func newEvaluator(a *smt.Arena, m *model.Model, terms []smt.Term) *eval.Evaluator {
	ev := eval.New(a, m)
	ev.Limits.Steps = min(baseSteps+stepsPerTerm*int64(a.Size(terms...)), maxSteps)
	ev.Limits.Instances, ev.Limits.Calls = maxInstances, maxInstances
	return ev
}

// maxModelText bounds the model in a verdict's detail; the whole is in the output of the run.
const maxModelText = 4000

// modelDetail shows the assertion, the values of the terms below it, and the model.
func modelDetail(s *smtlib.Script, v *eval.ModelCheck, model string) string {
	if len(model) > maxModelText {
		model = model[:maxModelText] + " ..."
	}
	return fmt.Sprintf("%s\nthe model:\n%s\n", v.String(s.Arena), strings.TrimSpace(model))
}
