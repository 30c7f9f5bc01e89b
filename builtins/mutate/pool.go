package mutate

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	engine "github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// pool is a pool in a script.
type pool struct {
	registry.Object[*pool]

	st      *value.TermStore
	p       *engine.Pool
	check   workspace.TermRef // a term of the newest kind in the pool: when it is gone, so is the pool
	sampled []engine.Sampled
	frozen  bool
}

func (p *pool) String() string {
	return fmt.Sprintf("<pool of %d initial and %d constructed formulas>", p.p.Initial(), p.p.Len()-p.p.Initial())
}

// Freeze implements starlark.Value.
func (p *pool) Freeze() { p.frozen = true }

// Truth implements starlark.Value: a pool without formulas is false.
func (p *pool) Truth() starlark.Bool { return p.p.Len() > 0 }

// Len implements starlark.Sequence's Len.
func (p *pool) Len() int { return p.p.Len() }

// Attr implements starlark.HasAttrs.
func (p *pool) Attr(name string) (starlark.Value, error) { return poolType.Attr(p, name) }

var _ starlark.Sequence = (*pool)(nil)

// Iterate implements starlark.Sequence, which len() needs; there is nothing to iterate over, since the formulas do not
// exist before they are sampled.
func (p *pool) Iterate() starlark.Iterator { return emptyIterator{} }

type emptyIterator struct{}

func (emptyIterator) Next(*starlark.Value) bool { return false }
func (emptyIterator) Done()                     {}

// checkUsable returns an error if the pool cannot be used (any more).
func (p *pool) checkUsable() error {
	if p.frozen {
		return fmt.Errorf("a pool that is a global of a module cannot be used; make it inside the function")
	}
	_, err := p.check.ID()
	return err
}

var poolType = registry.NewType[*pool]("pool", "Formulas with known truth values: initial formulas, and formulas constructed from others. Constructed formulas cost almost nothing until they are sampled. len(pool) counts all formulas.", []registry.Builtin{
	{Name: "grow", Doc: "Constructs new formulas from random formulas of the pool.",
		Example: "p = smt.const(\"p\", smt.Bool)\npool = mutate.pool([(p, True)])\npool.grow(rng(1), 10, ops = {\"and\": 1, \"not\": 1})\nlen(pool)  # -> 11", Do: registry.Method(growPool)},
	{Name: "sample", Doc: "A list of up to n pairs (formula, value), with different formulas.",
		Ret: "list[tuple[term, bool]]", Example: "p = smt.const(\"p\", smt.Bool)\nmutate.pool([(p, True)]).sample(rng(1), 5)  # -> [(p, True)]", Do: registry.Method(sampleFormulas)},
	{Name: "true_formulas", Doc: "A list of up to n true formulas: sampled formulas, negated if they are false.",
		Ret: "list[term]", Example: "p = smt.const(\"p\", smt.Bool)\nmutate.pool([(p, False)]).true_formulas(rng(1), 5)  # -> [(not p)]", Do: registry.Method(trueFormulas)},
	{Name: "scale", Doc: "A number from lo to hi that grows with the number of initial formulas: lo for none, hi for a hundred or more. (In STORM's paper, the numbers of formulas and cases depend on the size of the pool.)",
		Ret:     "int",
		Example: "mutate.pool([(smt.const(\"p\", smt.Bool), True)]).scale(200, 1500)  # -> 213",
		Do: registry.Method(func(c *registry.Call, recv *pool, a *poolScaleArgs) (starlark.Value, error) {
			lo, hi := a.Lo, a.Hi
			if hi < lo || lo < 0 || hi > maxSteps {
				return nil, c.Errorf(&a.Hi, "%d to %d is no range from 0 to %d", lo, hi, maxSteps)
			}
			return starlark.MakeInt(lo + (hi-lo)*min(recv.p.Initial(), 100)/100), nil
		})},
	{Name: "initial", Doc: "The number of initial formulas.", Ret: "int", Example: "mutate.pool([(smt.const(\"p\", smt.Bool), True)]).initial  # -> 1",
		Get: func(v starlark.Value) (starlark.Value, error) { return starlark.MakeInt(v.(*pool).p.Initial()), nil }},
	{Name: "count", Doc: "The number of formulas with the given value.",
		Ret: "int", Example: "mutate.pool([(smt.const(\"p\", smt.Bool), True)]).count(False)  # -> 0",
		Do: registry.Method(func(c *registry.Call, recv *pool, a *poolCountArgs) (starlark.Value, error) {
			return starlark.MakeInt(recv.p.Count(a.Value)), nil
		})},
})

// newPoolArgs are the arguments of mutate.pool.
type newPoolArgs struct {
	Items []starlark.Value `type:"iterable" doc:"pairs of a Bool term and its value: True, False or None"`
}

// newPool makes a pool of pairs.
func newPool(c *registry.Call, a *newPoolArgs) (starlark.Value, error) {
	items := a.Items
	terms := make([]starlark.Value, 0, len(items))
	for i, x := range items {
		pair, ok := x.(starlark.Tuple)
		if !ok || len(pair) != 2 {
			return nil, c.Errorf(&a.Items, "element %d: got %s, want a pair of a term and its value", i, x.Type())
		}
		if _, ok := pair[0].(value.Term); !ok {
			return nil, c.Errorf(&a.Items, "element %d: got %s, want a term", i, pair[0].Type())
		}
		terms = append(terms, pair[0])
	}
	st, err := value.Home(value.SessionOf(c.Thread), terms...)
	if err != nil {
		return nil, err
	}
	p := &pool{st: st, p: value.SessionOf(c.Thread).Pool(st)}
	for i, x := range items {
		pair := x.(starlark.Tuple)
		if err := p.addTerm(pair[0].(value.Term), pair[1]); err != nil {
			return nil, c.Errorf(&a.Items, "element %d: %v", i, err)
		}
	}
	p.check = st.Newest()
	return p, nil
}

func (p *pool) addTerm(t value.Term, v starlark.Value) error {
	id, err := t.In(p.st)
	if err != nil {
		return err
	}
	a := p.st.Arena
	if a.Sort(id) != smt.SortBool {
		return fmt.Errorf("%s has sort %s, want Bool", a.Brief(id), a.SortString(a.Sort(id)))
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return nil
	case starlark.Bool:
		p.p.Add(id, bool(v), p.st.BoolDepth(id))
		return nil
	}
	return fmt.Errorf("its value is %s, want True, False or None", v.Type())
}

// valuedFragmentsArgs are the arguments of mutate.valued_fragments.
type valuedFragmentsArgs struct {
	Case     value.Case
	Model    value.Model
	MaxDepth *int `type:"count | None" default:"None"`
	_        registry.KeywordOnly
	Outer    bool `default:"False" doc:"use only the assertions and the operands of and and or in them, as STORM's tool does"`
}

// valuedFragments makes a pool of a case's fragments with their values.
func valuedFragments(c *registry.Call, a *valuedFragmentsArgs) (starlark.Value, error) {
	s := value.SessionOf(c.Thread)
	k, err := s.Local(a.Case.AnalyzedCase)
	if err != nil {
		return nil, err
	}
	if _, err := k.TestCase(); err != nil {
		return nil, err
	}
	limit := -1
	if a.MaxDepth != nil {
		limit = *a.MaxDepth
	}
	st := k.Store()
	p := &pool{st: st, p: s.Pool(st)}
	if err := k.Valued(a.Model.StoredModel, limit, a.Outer, p.p.Add); err != nil {
		return nil, err
	}
	p.check = st.Newest()
	return p, nil
}

// policyArgs say which formulas are drawn.
type policyArgs struct {
	FromInitial *float64 `type:"probability | None" default:"0.3" doc:"probability of an initial formula, if there are constructed ones; None: all formulas are equally likely"`
	Balanced    bool     `default:"False" doc:"choose the truth value first, by a fair coin (as STORM's tool does)"`
}

func (a *policyArgs) enginePolicy(c *registry.Call) (engine.Policy, error) {
	pol := engine.Policy{FromInitial: -1, Balanced: a.Balanced}
	if a.FromInitial != nil {
		pol.FromInitial = *a.FromInitial
	}
	return pol, nil
}

var defaultWeights = engine.Weights{engine.And: 1, engine.Not: 1}

// maxSteps bounds one grow, and with it the memory of a pool.
const maxSteps = 10_000_000

// growArgs are the arguments of pool.grow.
type growArgs struct {
	Rng      *value.Rng
	Times    int `default:"1" doc:"number of attempts; a formula that would be too deep is dropped"`
	_        registry.KeywordOnly
	Ops      *starlark.Dict `type:"dict[str, int] | None" default:"None" doc:"weights of operators: not, and, or, xor, =>, =, ite; None stands for {\"and\": 1, \"not\": 1}"`
	MaxDepth *int           `type:"count | None" default:"None" doc:"greatest nesting of Boolean operators"`
	policyArgs
}

func growPool(c *registry.Call, p *pool, a *growArgs) (starlark.Value, error) {
	if err := p.checkUsable(); err != nil {
		return nil, err
	}
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	steps := a.Times
	if steps < 0 || steps > maxSteps {
		return nil, c.Errorf(&a.Times, "%d is not between 0 and %d", steps, maxSteps)
	}
	weights := defaultWeights
	if a.Ops != nil {
		if weights, err = weightsOf(c, a); err != nil {
			return nil, err
		}
	}
	limit := -1
	if a.MaxDepth != nil {
		limit = *a.MaxDepth
	}
	pol, err := a.enginePolicy(c)
	if err != nil {
		return nil, err
	}
	p.p.Grow(src, steps, &weights, pol, limit)
	return starlark.None, nil
}

// weightsOf reads the weights of operators.
func weightsOf(c *registry.Call, a *growArgs) (engine.Weights, error) {
	var w engine.Weights
	for _, kv := range a.Ops.Items() {
		name, _ := starlark.AsString(kv[0])
		op, ok := engine.ParseBoolOp(name)
		if !ok {
			return w, c.Errorf(&a.Ops, "%s is no operator of pools; want not, and, or, xor, =>, = or ite", kv[0].String())
		}
		n := smallInt(kv[1])
		if n < 0 || n > 1_000_000 {
			return w, c.Errorf(&a.Ops, "the weight of %s is %s, want 0 to 1000000", name, kv[1].String())
		}
		w[op] = n
	}
	if w.Total() == 0 {
		return w, c.Errorf(&a.Ops, "all weights are 0")
	}
	return w, nil
}

// drawArgs are the arguments of pool.sample and pool.true_formulas.
type drawArgs struct {
	Rng *value.Rng
	N   int `type:"count"`
	_   registry.KeywordOnly
	policyArgs
}

// drawFormulas draws formulas.
func (p *pool) drawFormulas(c *registry.Call, a *drawArgs) ([]engine.Sampled, error) {
	if err := p.checkUsable(); err != nil {
		return nil, err
	}
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	if a.N < 0 {
		return nil, c.Errorf(&a.N, "%d is below 0", a.N)
	}
	pol, err := a.enginePolicy(c)
	if err != nil {
		return nil, err
	}
	p.sampled, err = p.p.Sample(p.sampled[:0], src, a.N, pol)
	return p.sampled, err
}

func sampleFormulas(c *registry.Call, p *pool, a *drawArgs) (starlark.Value, error) {
	drawn, err := p.drawFormulas(c, a)
	if err != nil {
		return nil, err
	}
	out := make([]starlark.Value, len(drawn))
	for i, x := range drawn {
		out[i] = starlark.Tuple{value.NewTerm(p.st, x.Term), starlark.Bool(x.Value)}
	}
	return starlark.NewList(out), nil
}

func trueFormulas(c *registry.Call, p *pool, a *drawArgs) (starlark.Value, error) {
	drawn, err := p.drawFormulas(c, a)
	if err != nil {
		return nil, err
	}
	out := make([]starlark.Value, len(drawn))
	for i, x := range drawn {
		t := x.Term
		if !x.Value {
			t = p.st.Arena.Not(t)
		}
		out[i] = value.NewTerm(p.st, t)
	}
	return starlark.NewList(out), nil
}

// poolCountArgs are the arguments of pool.count.
type poolCountArgs struct{ Value bool }

// poolScaleArgs are the arguments of pool.scale.
type poolScaleArgs struct{ Lo, Hi int }
