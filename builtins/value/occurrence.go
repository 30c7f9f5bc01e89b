package value

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// occurrenceValue is one occurrence of a term in the assertions of a case, as scripts see it.
type occurrenceValue struct {
	registry.Object[*occurrenceValue]

	st    *TermStore
	check workspace.TermRef // lives as long as the case
	place mutate.Place
}

func (o *occurrenceValue) String() string {
	if _, err := o.check.ID(); err != nil {
		return "<occurrence in an earlier case>"
	}
	return fmt.Sprintf("<occurrence of %s at %v of assertion %d>", o.st.Arena.Brief(o.place.Term), o.place.Path(), o.place.Command)
}

// Freeze implements starlark.Value.
func (o *occurrenceValue) Freeze() { o.st.Freeze() }

// Attr implements starlark.HasAttrs.
func (o *occurrenceValue) Attr(name string) (starlark.Value, error) {
	return OccurrenceType.Attr(o, name)
}

// alive is the error that the case of the occurrence has ended.
func (o *occurrenceValue) alive() error {
	_, err := o.check.ID()
	return err
}

// aliveAttr adapts a function of a value that lives as long as a case to an attribute.
func aliveAttr[V interface {
	starlark.Value
	alive() error
}](get func(v V) starlark.Value) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		x := v.(V)
		if err := x.alive(); err != nil {
			return nil, err
		}
		return get(x), nil
	}
}

const exampleOccurrence = `c = smt.case("(declare-const x Int)(assert (=> (> x 1) (not (> x 1))))(check-sat)")
first, second = c.occurrences(op = ">")
`

// OccurrenceType describes the attributes of occurrences.
var OccurrenceType = registry.NewType[*occurrenceValue]("occurrence", "One occurrence of a term in the assertions of a case; see case.occurrences.", []registry.Builtin{
	{Name: "term", Doc: "The term.", Ret: "term", Example: exampleOccurrence + "first.term  # -> (> x 1)",
		Get: aliveAttr(func(o *occurrenceValue) starlark.Value { return NewTerm(o.st, o.place.Term) })},
	{Name: "polarity", Doc: "How the assertion depends on the term at this place: 1 if a weaker formula there makes the assertion weaker, as below and, or, the right side of =>; -1 if it makes it stronger, as below not; 0 if neither, as below = and in conditions, or if the term is no formula.", Ret: "int",
		Example: exampleOccurrence + "(first.polarity, second.polarity)  # -> (-1, -1)",
		Get:     aliveAttr(func(o *occurrenceValue) starlark.Value { return starlark.MakeInt(o.place.Polarity(o.st.Arena)) })},
	{Name: "path", Doc: "The argument numbers on the path from the assertion to the term.", Ret: "tuple[int, ...]", Example: exampleOccurrence + "second.path  # -> (1, 0)",
		Get: aliveAttr(func(o *occurrenceValue) starlark.Value {
			out := starlark.Tuple{}
			for _, i := range o.place.Path() {
				out = append(out, starlark.MakeInt(i))
			}
			return out
		})},
	{Name: "binders", Doc: "The variables that are bound at this place, the innermost last. A new term at this place may use them.", Ret: "tuple[term, ...]",
		Example: "c = smt.case(\"(assert (forall ((y Int)) (> y 1)))\")\nc.occurrences(op = \">\")[0].binders  # -> (y,)",
		Get:     aliveAttr(func(o *occurrenceValue) starlark.Value { return termList(o.st, o.place.Binders(o.st.Arena)) })},
})

// maxOccurrences bounds the list of occurrences: a term that is shared many times has very many.
const maxOccurrences = 10_000

func occurrenceBuilders() []registry.Builtin {
	return []registry.Builtin{
		{Name: "occurrences", Doc: fmt.Sprintf("The places in the assertions of a case whose terms satisfy all conditions, as in case.find, but each occurrence is listed separately, and outer ones come before inner ones. At most %d.", maxOccurrences),
			Ret: "list[occurrence]", Example: exampleOccurrence + "second  # -> <occurrence of (> x 1) at [1 0] of assertion 1>",
			Do: caseMethod(func(call *registry.Call, _ *ThreadState, c Case, a *findArgs) (starlark.Value, error) {
				var roots []smt.Term
				for _, x := range c.Engine().Script.Commands {
					if x.Kind == smtlib.CmdAssert {
						roots = append(roots, x.Terms[0])
					}
				}
				found, err := find(call, c.Store(), roots, a)
				if err != nil {
					return nil, err
				}
				fits := map[smt.Term]bool{}
				list := found.(*starlark.List)
				for i := range list.Len() {
					if id, err := list.Index(i).(Term).ID(); err == nil {
						fits[id] = true
					}
				}
				var out []starlark.Value
				life := c.Store().Newest()
				for _, p := range mutate.Places(c.Engine().Script, func(t smt.Term) bool { return fits[t] }, maxOccurrences) {
					out = append(out, &occurrenceValue{st: c.Store(), check: life, place: p})
				}
				return starlark.NewList(out), nil
			})},
		{Name: "replace_at", Doc: "The case with another term of the same sort at this place only. The result's answers are not known; if the new term is weaker or stronger than the old one, occurrence.polarity tells how the assertion changes.",
			Ret: "case", Example: exampleOccurrence + "c.replace_at(second, False).formula  # -> (=> (> x 1) (not false))",
			Do: registry.Method(replaceAt)},
	}
}

// caseReplaceAtArgs are the arguments of case.replace_at.
type caseReplaceAtArgs struct {
	Place *occurrenceValue `doc:"of this case"`
	New   starlark.Value   `type:"any" doc:"a term of the same sort, or an int, bool or str for a literal of it"`
}

func replaceAt(call *registry.Call, recv Case, args *caseReplaceAtArgs) (starlark.Value, error) {
	c, err := LocalOf(call.Thread, recv)
	if err != nil {
		return nil, err
	}
	tc, err := c.TestCase()
	if err != nil {
		return nil, err
	}
	o := args.Place
	if _, err := o.check.ID(); err != nil {
		return nil, err
	}
	cmds := slices.Clone(tc.Script.Commands)
	at := o.place.Command
	if o.st != c.Store() || at >= len(cmds) || cmds[at].Kind != smtlib.CmdAssert || !o.place.At(cmds[at].Terms[0]) {
		return nil, fmt.Errorf("the place is none of this case: ask the case that is changed for its occurrences")
	}
	t, err := Lift(c.Store(), args.New, c.Store().Arena.Sort(o.place.Term))
	if err != nil {
		return nil, fmt.Errorf("the replacement of %s: %w", c.Store().Arena.Brief(o.place.Term), err)
	}
	whole, err := o.place.Put(c.Store().Arena, t)
	if err != nil {
		return nil, err
	}
	if free := c.Store().Arena.FreeVars(whole); len(free) > 0 {
		return nil, fmt.Errorf("%s is not bound at the place: only the variables of occurrence.binders are", NewTerm(c.Store(), free[0]))
	}
	cmds[at].Terms = []smt.Term{whole}
	missing, p := c.Undeclared([]smt.Term{whole})
	return c.over(p, tc.With(tc.Script.WithCommands(derive.Insert(cmds, missing)), nil, nil)), nil
}
