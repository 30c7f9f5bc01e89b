package api

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	engine "github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// exampleManager begins the examples of managers: c is a case and m its manager.
const exampleManager = `c = smt.case("(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)")
m = gen.manager(c)
`

// Manager is a database of sorts and terms in a script, and the generator over it.
type Manager struct {
	registry.Object[*Manager]

	g    *engine.Gen
	st   *value.TermStore
	life workspace.TermRef // lives as long as the terms of the manager do
	// walks says that new terms are part of a walk, which declares their symbols.
	walks bool
}

// OfWalk returns the manager of a walk.
func OfWalk(g *engine.Gen, st *value.TermStore) *Manager {
	return &Manager{g: g, st: st, life: st.Newest(), walks: true}
}

func (m *Manager) String() string { return fmt.Sprintf("<manager of %d terms>", m.g.DB.Len()) }
func (m *Manager) Freeze()        { m.st = nil } // its terms would live on without their case

// Attr implements starlark.HasAttrs.
func (m *Manager) Attr(name string) (starlark.Value, error) { return managerType.Attr(m, name) }

// managerArgs are the arguments of gen.manager.
type managerArgs struct {
	Case     value.Case `default:"None" doc:"the case whose terms it has; None: only true and false"`
	_        registry.KeywordOnly
	Theories []string               `default:"None" doc:"such as [\"BV\", \"Array\", \"UF\"]: {theories}; None: those of the case"`
	MaxWidth int                    `type:"count" default:"0" doc:"greatest width of a bit vector; 0: the greatest width in the case, at least 64"`
	Targets  []*solving.SolverValue `type:"list[solver] | solver | None" default:"None" doc:"solvers whose operators and sorts are used; None: the targets of the campaign"`
}

// newManager is the builtin gen.manager.
func newManager(c *registry.Call, a *managerArgs) (starlark.Value, error) {
	s := value.SessionOf(c.Thread)
	m := &Manager{}
	var roots []smt.Term
	var functions []smt.Symbol
	if a.Case.AnalyzedCase != nil {
		over, err := s.Local(a.Case.AnalyzedCase)
		if err != nil {
			return nil, err
		}
		tc, err := over.TestCase()
		if err != nil {
			return nil, err
		}
		m.st = over.Store()
		roots = tc.Script.Asserts()
		for _, d := range tc.Script.Declarations() {
			functions = append(functions, d.Symbols...)
		}
	} else {
		m.st = s.Scratch()
	}
	// The manager's terms end with the case, but a manager in a global may outlive the case.
	m.life = m.st.Newest()
	cfg := engine.Config{MaxWidth: a.MaxWidth, Theories: a.Theories}
	if a.Theories != nil && len(a.Theories) == 0 {
		return nil, c.Errorf(&a.Theories, "it is empty; None stands for those of the case")
	}
	targets := solving.Engines(a.Targets)
	switch {
	case a.Targets == nil:
		targets = solving.TargetsOf(c.Thread)
	case len(a.Targets) == 0:
		return nil, c.Errorf(&a.Targets, "it is empty; None stands for those of the campaign")
	}
	cfg.Rules, _ = target.RulesOf(target.Plain(targets))
	for _, shape := range solving.AvoidedOf(c.Thread) {
		if !shape.AboutWalks() {
			cfg.Rules.Exclude = append(cfg.Rules.Exclude, shape)
		}
	}
	// Each drawing method gets the stream to draw from as an argument.
	var err error
	m.g, err = engine.Over(m.st.Arena, roots, functions, rng.New(0), cfg, engine.Discard)
	return m, err
}

// alive returns an error if the manager's case has ended.
func (m *Manager) alive() error {
	if m.st == nil {
		return fmt.Errorf("this manager is a global of a module, and its case has ended: make one in the function that uses it")
	}
	if _, err := m.life.ID(); err != nil {
		return fmt.Errorf("this manager belongs to a case that has ended: make one for each case")
	}
	return nil
}

// scoping adapts a function that opens or closes an assertion level: the levels of a walk are controlled by the walk.
func scoping(f func(m *Manager) (starlark.Value, error)) func(*registry.Call) (starlark.Value, error) {
	return func(c *registry.Call) (starlark.Value, error) {
		m := c.Recv.(*Manager)
		if err := m.alive(); err != nil {
			return nil, err
		}
		if m.walks {
			return nil, fmt.Errorf("the levels of a walk are opened and closed by walk.do(\"push\") and walk.do(\"pop\")")
		}
		return f(m)
	}
}

// termArgs, sortArgs and drawArgs are arguments of methods.
type termArgs struct{ Term value.Term }

type sortArgs struct{ Sort value.Sort }

type drawArgs struct {
	Rng  *value.Rng
	Sort value.Sort
}

// taking adapts a function of a manager that can be used now.
func taking[A any](f func(c *registry.Call, m *Manager, a *A) (starlark.Value, error)) registry.Implementation {
	return registry.Method(func(c *registry.Call, m *Manager, a *A) (starlark.Value, error) {
		if err := m.alive(); err != nil {
			return nil, err
		}
		return f(c, m, a)
	})
}

// drawing adapts a function that draws from the stream of its arguments; s is their sort, in the arena of the manager.
func drawing(f func(c *registry.Call, m *Manager, a *drawArgs, s smt.Sort) (starlark.Value, error)) registry.Implementation {
	return taking(func(c *registry.Call, m *Manager, a *drawArgs) (starlark.Value, error) { return m.drawn(c, a, f) })
}

func (m *Manager) drawn(c *registry.Call, a *drawArgs, f func(c *registry.Call, m *Manager, a *drawArgs, s smt.Sort) (starlark.Value, error)) (starlark.Value, error) {
	r, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	s, err := a.Sort.In(m.st)
	if err != nil {
		return nil, err
	}
	defer m.g.DrawFrom(r)()
	return f(c, m, a, s)
}

func attribute(f func(m *Manager) starlark.Value) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		m := v.(*Manager)
		if err := m.alive(); err != nil {
			return nil, err
		}
		return f(m), nil
	}
}

func (m *Manager) termOrNone(t smt.Term) starlark.Value {
	if t == 0 {
		return starlark.None
	}
	return value.NewTerm(m.st, t)
}

// managerType describes the methods of managers.
var managerType = registry.NewType[*Manager]("manager", "The solver manager: the available sorts and terms, by sort and by assertion level, and the generator that uses them. Rarely used terms are picked first.", []registry.Builtin{
	{Name: "sorts", Doc: "The sorts that there are, in the order in which they came.", Ret: "tuple[sort, ...]", Example: exampleManager + "m.sorts  # -> (Bool, Int)",
		Get: attribute(func(m *Manager) starlark.Value {
			var out starlark.Tuple
			for _, s := range m.g.DB.Sorts() {
				out = append(out, value.NewSort(m.st, s))
			}
			return out
		})},
	{Name: "size", Doc: "The number of terms that there are, those with open variables, too.", Ret: "int", Example: exampleManager + "m.size  # -> 5",
		Get: attribute(func(m *Manager) starlark.Value { return starlark.MakeInt(m.g.DB.Len()) })},
	{Name: "level", Doc: "The number of assertion levels that are open.", Ret: "int", Example: exampleManager + "m.push()\nm.level  # -> 1",
		Get: attribute(func(m *Manager) starlark.Value { return starlark.MakeInt(m.g.Scope()) })},
	{Name: "made", Doc: "How often each operator was applied by this manager: a dict from its name.", Ret: "dict[str, int]", Example: exampleManager + "m.made  # -> {}",
		Get: attribute(func(m *Manager) starlark.Value {
			var names []string
			for name := range m.g.Made {
				names = append(names, name)
			}
			slices.Sort(names)
			d := starlark.NewDict(len(names))
			for _, name := range names {
				_ = d.SetKey(starlark.String(name), starlark.MakeInt(m.g.Made[name]))
			}
			return d
		})},
	{Name: "terms", Doc: "The closed terms (without free variables) of a sort, in the order in which they were added.", Ret: "tuple[term, ...]",
		Example: exampleManager + "m.terms(smt.Bool)  # -> (true, false, (> x 1))",
		Do: taking(func(_ *registry.Call, m *Manager, a *sortArgs) (starlark.Value, error) {
			s, err := a.Sort.In(m.st)
			if err != nil {
				return nil, err
			}
			out := starlark.Tuple{}
			for _, t := range m.g.DB.All(s) {
				out = append(out, value.NewTerm(m.st, t))
			}
			return out, nil
		})},
	{Name: "uses", Doc: "How often a term was used since it was added: drawn, asserted, or used as an argument.", Ret: "int",
		Example: exampleManager + "m.uses(c.constants[0])  # -> 2",
		Do: taking(func(_ *registry.Call, m *Manager, a *termArgs) (starlark.Value, error) {
			t, err := a.Term.In(m.st)
			return starlark.MakeInt(m.g.DB.Refs(t)), err
		})},
	{Name: "operators", Doc: "The names of the operators that can be applied. With a sort: only operators whose result has this sort.",
		Ret: "list[str]", Example: exampleManager + "\"+\" in m.operators(smt.Int)  # -> True\n\"<\" in m.operators(smt.Int)  # -> False",
		Do: taking(operators)},
	{Name: "add", Doc: "Adds a term without free variables and all of its subterms. In a walk, its symbols must be declared.",
		Example: exampleManager + "m.add(c.constants[0] + 5)\nlen(m.terms(smt.Int))  # -> 4", Do: taking(add)},
	{Name: "constant", Doc: "A new constant of a sort, with an unused name. A walk declares it and gives it a value; a case declares the constants that it uses.",
		Ret: "term", Example: exampleManager + "m.constant(rng(1), smt.Int).sort  # -> Int", Do: drawing(constant)},
	{Name: "pick", Doc: "An existing term of a sort; rarely used terms are picked first. None if there is none.", Ret: "term | None",
		Example: exampleManager + "m.pick(rng(1), smt.Int) in m.terms(smt.Int)  # -> True\nm.pick(rng(1), smt.Real)  # -> None",
		Do: drawing(func(_ *registry.Call, m *Manager, _ *drawArgs, s smt.Sort) (starlark.Value, error) {
			t := m.g.DB.Pick(m.g.R, s, 0, 0)
			m.g.DB.Use(t)
			return m.termOrNone(t), nil
		})},
	{Name: "literal", Doc: "A random literal of a sort, often a boundary value. None for sorts without literals.", Ret: "term | None",
		Example: exampleManager + "m.literal(rng(1), smt.Int).sort  # -> Int",
		Do: drawing(func(_ *registry.Call, m *Manager, _ *drawArgs, s smt.Sort) (starlark.Value, error) {
			return m.termOrNone(m.g.Literal(s)), nil
		})},
	{Name: "random", Doc: "A new term of a sort: operators up to a depth, applied to existing terms and literals. The term is added to the manager. None if no term of that sort can be made.",
		Ret:     "term | None",
		Example: exampleManager + "m.random(rng(1), smt.Int, depth = 2).sort  # -> Int", Do: taking(randomTerm)},
	{Name: "push", Doc: "Opens an assertion level: its pop removes later declarations. Walks push by walk.do(\"push\").", Example: exampleManager + "m.push()\nm.pop()", Fn: scoping(func(m *Manager) (starlark.Value, error) {
		m.g.Push(1)
		return starlark.None, nil
	})},
	{Name: "pop", Doc: "Closes an assertion level that push has opened.", Example: exampleManager + "m.pop()  # error: no level is open", Fn: scoping(func(m *Manager) (starlark.Value, error) {
		if m.g.Scope() == 0 {
			return nil, fmt.Errorf("no level is open")
		}
		m.g.Pop(1)
		return starlark.None, nil
	})},
})

func operators(_ *registry.Call, m *Manager, a *struct {
	Sort *value.Sort `type:"sort | None" default:"None"`
}) (starlark.Value, error) {
	all := m.g.Alternatives
	if a.Sort != nil {
		s, err := a.Sort.In(m.st)
		if err != nil {
			return nil, err
		}
		all = func() []engine.Alternative { return m.g.Results(s) }
	}
	var names []starlark.Value
	last := ""
	for _, x := range all() {
		if name := x.Op.Info().Name; name != last {
			names, last = append(names, starlark.String(name)), name
		}
	}
	return starlark.NewList(names), nil
}

func add(c *registry.Call, m *Manager, a *termArgs) (starlark.Value, error) {
	t, err := a.Term.In(m.st)
	if err != nil {
		return nil, err
	}
	if err := m.Take(t); err != nil {
		return nil, c.Errorf(&a.Term, "%v", err)
	}
	return starlark.None, nil
}

// Take adds a term of the manager's arena. The error says why it cannot be used there.
func (m *Manager) Take(t smt.Term) error { return m.g.Adopt(t, m.walks) }

func constant(c *registry.Call, m *Manager, a *drawArgs, s smt.Sort) (starlark.Value, error) {
	if m.walks && !m.g.SortOn(s) {
		return nil, c.Errorf(&a.Sort, "this walk has no terms of the sort %s", m.st.Arena.SortString(s))
	}
	m.g.DB.AddSort(s, m.g.Scope())
	return value.NewTerm(m.st, m.g.ConstOf(s)), nil
}

// randomArgs are the arguments of manager.random.
type randomArgs struct {
	drawArgs
	Depth int `default:"1" doc:"1 to 16"`
}

func randomTerm(c *registry.Call, m *Manager, a *randomArgs) (starlark.Value, error) {
	if a.Depth < 1 || a.Depth > 16 {
		return nil, c.Errorf(&a.Depth, "%d is not between 1 and 16", a.Depth)
	}
	return m.drawn(c, &a.drawArgs, func(_ *registry.Call, m *Manager, _ *drawArgs, s smt.Sort) (starlark.Value, error) {
		return m.termOrNone(m.g.Build(s, a.Depth)), nil
	})
}
