package eval

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// ModelCheck is the result of checking whether a model satisfies the assertions of a script.
type ModelCheck struct {
	// Result is True if every assertion holds, False if one does not. It is Unknown if no assertion is known not to
	// hold and one is unknown.
	Result value.Truth
	// Assert is the number, from 0, of the assertion that does not hold or is unknown; -1 if all hold. Term is that
	// assertion, Text its text cut short.
	Assert int
	Term   smt.Term
	Text   string
	// Reason says why the assertion is unknown, or sums up why it does not hold.
	Reason string
	// Values are those of subterms of the assertion that does not hold, from the top down.
	Values []value.TermValue
	// Completed is set where the model lacks interpretations and default values in their place satisfy the script.
	Completed bool
}

// String returns the verdict in a few lines.
func (v *ModelCheck) String(a *smt.Arena) string {
	var b strings.Builder
	b.WriteString(v.Result.String())
	if v.Assert >= 0 {
		fmt.Fprintf(&b, ": assertion %d: %s", v.Assert+1, v.Text)
	}
	if v.Reason != "" {
		fmt.Fprintf(&b, "\n  %s", v.Reason)
	}
	for _, x := range v.Values {
		fmt.Fprintf(&b, "\n  %s = %s", a.Brief(x.Term), display.Cut(x.Value.Text(a), 200))
	}
	return b.String()
}

// maxShown is the number of subterms whose values a ModelCheck lists.
const maxShown = 40

// CheckModel evaluates the assertions at the last check-sat of the script in a model. Where the model lacks
// interpretations, it is True if default values in their place satisfy the script: then the model can be extended.
func CheckModel(script *smtlib.Script, m *model.Model) *ModelCheck {
	return CheckTerms(New(script.Arena, m), script.Asserts())
}

// CheckTerms is CheckModel for Bool terms in the model of an evaluator.
func CheckTerms(ev *Evaluator, asserts []smt.Term) *ModelCheck {
	ev.refill()
	return checkTerms(ev, asserts)
}

// checkTerms is CheckTerms within the budget of a question that has begun.
func checkTerms(ev *Evaluator, asserts []smt.Term) *ModelCheck {
	a := ev.Arena()
	result := &ModelCheck{Result: value.True, Assert: -1}
	gaps := false
	for i, t := range asserts {
		v := ev.nextValue(t)
		switch {
		case v.IsTrue():
			continue
		case v.IsFalse():
			return &ModelCheck{Result: value.False, Assert: i, Term: t, Text: a.Brief(t), Values: explainValue(ev, t),
				Reason: "the model makes it false"}
		}
		gaps = gaps || v.IsMissing()
		if result.Result == value.True {
			result = &ModelCheck{Result: value.Unknown, Assert: i, Term: t, Text: a.Brief(t), Reason: v.Err().Error()}
		}
	}
	if result.Result == value.Unknown && gaps && !ev.spent && !ev.complete {
		ev.SetCompletion(true)
		defer ev.SetCompletion(false)
		if checkTerms(ev, asserts).Result == value.True {
			return &ModelCheck{Result: value.True, Assert: -1, Completed: true, Reason: result.Reason}
		}
	}
	return result
}

// explainValue lists the values of subterms breadth first, so that those near the top come first. Subterms that do not
// bear on the value of a connective are left out.
func explainValue(ev *Evaluator, t smt.Term) []value.TermValue {
	a := ev.a
	var out []value.TermValue
	seen := map[smt.Term]bool{t: true}
	queue := []smt.Term{t}
	for len(queue) > 0 && len(out) < maxShown {
		t := queue[0]
		queue = queue[1:]
		if op := a.Op(t); op == smt.OpAnnot {
			queue = append(queue, a.Arg(t, 0))
			continue
		} else if a.IsLiteral(t) || op.IsBinder() && op != smt.OpForall && op != smt.OpExists {
			continue
		}
		v := ev.nextValue(t)
		out = append(out, value.TermValue{Term: t, Value: v})
		if a.Op(t).IsBinder() || a.Op(t) == smt.OpMatch {
			continue
		}
		for _, x := range a.CopyArgs(t) {
			if !seen[x] && bearsOn(ev, t, v, x) {
				seen[x] = true
				queue = append(queue, x)
			}
		}
	}
	return out
}

// bearsOn reports whether argument x of t helps to explain the value v of t.
func bearsOn(ev *Evaluator, t smt.Term, v value.Value, x smt.Term) bool {
	switch ev.a.Op(t) {
	case smt.OpAnd:
		return v.IsTrue() || !ev.nextValue(x).IsTrue()
	case smt.OpOr:
		return v.IsFalse() || !ev.nextValue(x).IsFalse()
	case smt.OpIte:
		c := ev.nextValue(ev.a.Arg(t, 0))
		return c.Kind() != value.KindBool || x != ev.a.Arg(t, 1+int(c.Bits()))
	}
	return true
}
