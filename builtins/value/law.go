package value

import (
	"fmt"
	"math/big"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	engine "github.com/smtlark/smtlark/engine/semantics/law"
)

const example = `xor_self = law("mine.xor_self", sorts = ["BV(m)"], lhs = lambda x: smt.bvxor(x, x), rhs = lambda x: smt.bv(0, x.sort.width))
`

// LawModule returns the function and its type.
func LawModule() registry.Module {
	return registry.Module{
		Types: []*registry.Type{lawType},
		Members: []registry.Builtin{
			{Name: "law", Doc: `Defines a law: two terms that have equal values for all values of their parameters, or a formula that implies another. The
functions are called with terms over the parameters, then with the indices as ints, once for each choice of numbers, and must
return the same terms each time. mutate.rewrite, equivalence, weaken and strengthen use the laws of a campaign file and its modules
that smtlark law check has proven. A sort is a sort value, or a text with letters as in fusion.operator: "BV(m)", "FP(e,s)", "Array(A,B)",
"Seq(A)", "Data(A,B)". "Bool..." is a list: any number of terms, which the functions get as a tuple and pass on as *list
among the arguments of an operator. "Vars(V)" are the variables of a quantifier, a list for smt.forall and smt.exists, "Bool(V)" is a
formula under the quantifier, in which these variables may occur; they do not occur in other parameters.`,
				Ret: "law", Example: example + "xor_self  # -> <law mine.xor_self: BV(m)>", Do: registry.Into(newLaw)},
		},
	}
}

// lawValue is a law in a script.
type lawValue struct {
	registry.Object[*lawValue]

	Law         *engine.Law
	left, right starlark.Callable
	when        starlark.Callable // nil if there is none
}

func (l *lawValue) String() string { return fmt.Sprintf("<law %s: %s>", l.Law.Name, l.Law.Signature()) }

// Freeze implements starlark.Value.
func (l *lawValue) Freeze() {
	l.left.Freeze()
	l.right.Freeze()
	if l.when != nil {
		l.when.Freeze()
	}
}

// Hash implements starlark.Value.
func (l *lawValue) Hash() (uint32, error) { return starlark.String(l.Law.Name).Hash() }

// Attr implements starlark.HasAttrs.
func (l *lawValue) Attr(name string) (starlark.Value, error) { return lawType.Attr(l, name) }

var lawType = registry.NewType[*lawValue]("law", "A law of terms; see the function law.", []registry.Builtin{
	{Name: "name", Doc: "The name of the law.", Ret: "str", Example: example + "xor_self.name  # -> \"mine.xor_self\"",
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*lawValue).Law.Name), nil }},
	{Name: "theory", Doc: "The theory of the law.", Ret: "str", Example: example + "xor_self.theory  # -> \"mine\"",
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*lawValue).Law.Theory), nil }},
	{Name: "kind", Doc: "The kind of the law: \"equal\" or \"implies\".", Ret: "str", Example: example + "xor_self.kind  # -> \"equal\"",
		Get: func(v starlark.Value) (starlark.Value, error) {
			return starlark.String(v.(*lawValue).Law.Kind.String()), nil
		}},
	{Name: "signature", Doc: "The sorts of the law and the ranges of its indices.", Ret: "str", Example: example + "xor_self.signature  # -> \"BV(m)\"",
		Get: func(v starlark.Value) (starlark.Value, error) {
			return starlark.String(v.(*lawValue).Law.Signature()), nil
		}},
})

// newLawArgs are the arguments of law.
type newLawArgs struct {
	Name   string `doc:"theory and name, as in \"bv.xor_self\""`
	_      registry.KeywordOnly
	Sorts  []starlark.Value  `type:"list | tuple" doc:"the sorts of the parameters"`
	Lhs    starlark.Callable `type:"callable" doc:"the left side: a function of the parameters, followed by the indices"`
	Rhs    starlark.Callable `type:"callable" doc:"the right side"`
	When   starlark.Value    `type:"callable | None" default:"None" doc:"a condition: a Bool term, or True or False if indices and widths determine it"`
	Index  *starlark.Dict    `type:"dict[str, str]" default:"{}" doc:"indices that the sorts do not determine, with their ranges, such as {\"k\": \"0..m-1\"}"`
	Kind   string            `type:"\"equal\" | \"implies\"" default:"\"equal\"" doc:"equal: both sides have the same value; implies: the left side implies the right side"`
	Theory string            `default:"None" doc:"None: the part of the name before the dot"`
	Proof  string            `default:"\"\"" doc:"a proof in words, for a law that no solver decides"`
	Assume bool              `default:"False" doc:"in a campaign file: use the law although no proof is recorded, but only in cases without a known answer"`
}

func newLaw(c *registry.Call, given *newLawArgs) (starlark.Value, error) {
	l := &lawValue{left: given.Lhs, right: given.Rhs, Law: &engine.Law{Name: given.Name, Theory: given.Theory, Assumed: given.Assume, Written: strings.Join(strings.Fields(given.Proof), " ")}}
	if f, ok := given.When.(starlark.Callable); ok {
		l.when = f
	}
	var err error
	if l.Law.Kind, err = engine.ParseKind(given.Kind); err != nil {
		return nil, c.Errorf(&given.Kind, "%v", err)
	}
	for i, v := range given.Sorts {
		p, err := parameter(v)
		if err != nil {
			return nil, c.Errorf(&given.Sorts, "element %d: %v", i, err)
		}
		if f, ok := given.Lhs.(*starlark.Function); ok && i < f.NumParams() {
			p.Name, _ = f.Param(i)
		}
		l.Law.Parameters = append(l.Law.Parameters, p)
	}
	for _, kv := range given.Index.Items() {
		letter, _ := starlark.AsString(kv[0])
		text, _ := starlark.AsString(kv[1])
		x, err := template.ParseIndexRange(letter, text)
		if err != nil {
			return nil, c.Errorf(&given.Index, "%v", err)
		}
		l.Law.Index = append(l.Law.Index, x)
	}
	if l.Law.Theory == "" {
		l.Law.Theory, _, _ = strings.Cut(l.Law.Name, ".")
	}
	if err := l.Law.Check(); err != nil {
		return nil, err
	}
	l.Law.Where = c.Thread.CallFrame(1).Pos.String()
	l.Law.Make = l.make
	if found, err := CollectorKey.Get(c.Thread); err == nil {
		if err := found.Add(l.Law); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// parameter reads a sort of a parameter.
func parameter(v starlark.Value) (engine.Parameter, error) {
	if text, ok := starlark.AsString(v); ok {
		return engine.ParseParameter(text)
	}
	p, err := SortPattern(v)
	return engine.Parameter{Sort: p}, err
}

// make calls the functions of the law; it is an engine.Maker, and the env is the thread.
func (l *lawValue) make(env any, a *smt.Arena, sorts []smt.Sort, indices []*big.Int) (*engine.Definition, error) {
	th, ok := env.(*starlark.Thread)
	if !ok {
		return nil, fmt.Errorf("laws of scripts need a thread")
	}
	st := workspace.NewStore(a, "the law "+l.Law.Name)
	var args starlark.Tuple
	for i := range sorts {
		var terms starlark.Tuple
		for _, t := range l.Law.Constants(a, i, sorts) {
			terms = append(terms, NewTerm(st, t))
		}
		if p := &l.Law.Parameters[i]; p.List || p.Variables {
			args = append(args, terms)
		} else {
			args = append(args, terms[0])
		}
	}
	for _, n := range indices {
		args = append(args, starlark.MakeBigInt(n))
	}
	d := &engine.Definition{}
	var err error
	if l.when != nil {
		if d.When, err = side(th, st, l.when, args, smt.SortBool); err != nil {
			return nil, fmt.Errorf("when: %w", err)
		}
	}
	if d.When == a.False() { // the sides need not exist where there is no such law
		return nil, template.ErrNone
	}
	if d.Left, err = side(th, st, l.left, args, 0); err != nil {
		return nil, fmt.Errorf("lhs: %w", err)
	}
	if d.Right, err = side(th, st, l.right, args, a.Sort(d.Left)); err != nil {
		return nil, fmt.Errorf("rhs: %w", err)
	}
	return d, nil
}

func side(th *starlark.Thread, st *TermStore, f starlark.Callable, args starlark.Tuple, want smt.Sort) (smt.Term, error) {
	v, err := registry.Invoke(th, f, args...)
	if err != nil {
		return 0, err
	}
	return Lift(st, v, want)
}

// CollectorKey is the slot for the laws that a thread makes; smtlark law fills it.
var CollectorKey = registry.NewKey[*LawCollector]("the list of laws", "nothing collects them")

// LawCollector collects the laws that files make; each law has a unique name.
type LawCollector struct {
	Laws   []*engine.Law
	byName map[string]*engine.Law
}

// Add adds a law. It returns an error if another law has the same name: reports, certificates and --without tell laws
// apart by their names.
func (c *LawCollector) Add(l *engine.Law) error {
	if other, ok := c.byName[l.Name]; ok {
		return fmt.Errorf("law %s is defined twice: at %s and at %s; give one of them another name", l.Name, other.Where, l.Where)
	}
	if c.byName == nil {
		c.byName = map[string]*engine.Law{}
	}
	c.byName[l.Name] = l
	c.Laws = append(c.Laws, l)
	return nil
}
