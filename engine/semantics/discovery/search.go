// Package discovery looks for laws: it enumerates the terms of a theory by size, evaluates them for the same values of
// their variables, and treats two terms with the same results as a law. Laws that follow from known ones are left out;
// the rest are proven. It is the method of Nötzli, Reynolds, Barbosa, Niemetz, Preiner, Barrett and Tinelli,
// "Syntax-Guided Rewrite Rule Enumeration for SMT Solvers", SAT 2019.
package discovery

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/normal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/engine/semantics/law"
	"github.com/smtlark/smtlark/engine/semantics/proof"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
)

// Search is a search for laws of one theory.
type Search struct {
	theory string
	space  *space
	size   int
	env    any
	book   *rewrite.Rules
	found  *rewrite.Rules
	laws   []*law.Law
	names  map[string]int

	a        *smt.Arena
	params   []smt.Term
	bindings smt.Bindings
	points   []*eval.Evaluator
	bySize   []map[smt.Sort][]*expression // expressions that none of the ones before is equal to
	classes  map[string]*expression
	seen     map[normal.Key]bool   // pairs, whatever their variables are called
	steps    []*rewrite.Simplifier // simplifiers by the laws of the book and by the laws found

	Terms, Reducible, Pairs, Refuted, Unproven int
	Disputes                                   []proof.Dispute // of pairs that solvers were asked about
}

// points is the number of assignments for which terms are evaluated.
const points = 48

// New returns a search for laws with sides of at most that many operators, variables and literals, beyond those of a
// book. The laws are made with env.
func New(theory string, size int, env any, book []*law.Law) (*Search, error) {
	s, err := spaceOf(theory)
	if err != nil {
		return nil, err
	}
	d := &Search{theory: strings.ToLower(theory), space: s, size: size, env: env, a: smt.NewArena(), names: map[string]int{},
		classes: map[string]*expression{}, seen: map[normal.Key]bool{}, bySize: make([]map[smt.Sort][]*expression, size+1)}
	for i := range d.bySize {
		d.bySize[i] = map[smt.Sort][]*expression{}
	}
	if d.book, err = rewrite.Compile(env, book); err != nil {
		return nil, err
	}
	if err := d.declare(); err != nil {
		return nil, err
	}
	for _, l := range book {
		d.noteKnown(l)
	}
	d.steps = []*rewrite.Simplifier{rewrite.New(d.a, d.book), nil}
	return d, d.simplifyByFound()
}

// sort returns the sort of a text in the arena of the search.
func (d *Search) sort(text string) (smt.Sort, error) {
	p, err := smt.ParsePattern(text)
	if err != nil {
		return 0, err
	}
	p.Variables(func(byte) {}, func(v byte) {
		if d.bindings.SortOf(v) == 0 {
			d.bindings.BindSort(v, d.a.BitVec(2+int(v-'A')))
		}
	})
	return p.Build(d.a, &d.bindings), nil
}

// declare makes the parameters and the values for which terms are computed.
func (d *Search) declare() error {
	for letter, n := range d.space.numbers {
		d.bindings.BindNumber(letter, n)
	}
	for _, p := range d.space.parameters {
		s, err := d.sort(p.sort)
		if err != nil {
			return err
		}
		d.params = append(d.params, d.a.Const(d.a.Declare(p.name, nil, s)))
	}
	g := search.NewGenerator(d.a, nil, rng.New(1))
	for range points {
		m := model.New(d.a)
		for i, x := range d.params {
			v := g.Value(d.a.Sort(x))
			if len(d.points)%3 == 0 && i > 0 && d.a.Sort(d.params[i-1]) == d.a.Sort(x) { // some values are equal
				v, _ = m.Value(d.a.SymbolOf(d.params[i-1]))
			}
			m.Set(d.a.SymbolOf(x), v)
		}
		d.points = append(d.points, eval.New(d.a, m))
	}
	return nil
}

// noteKnown records the sides of a law of the book as a known pair. Laws with no lighter side are not used to simplify.
func (d *Search) noteKnown(l *law.Law) {
	if l.Kind != law.Equal || len(l.Index) > 0 {
		return
	}
	b := d.bindings.Numbers()
	r, err := l.Rule(d.env, &b)
	if err != nil || r.When != nil {
		return // a law of other numbers, or under a condition
	}
	b = d.bindings
	var params []smt.Term
	for i := range l.Parameters {
		p := &l.Parameters[i]
		s := p.Sort.Build(d.a, &b)
		if s == 0 || p.List || p.Variables || p.Below != "" {
			return
		}
		params = append(params, d.a.Const(d.a.Declare(fmt.Sprintf("known!%d", i), nil, s)))
	}
	m := template.Builder{Arena: d.a}
	left, err1 := m.Build(r.Left, params, 0, nil, &b)
	right, err2 := m.Build(r.Right, params, 0, nil, &b)
	if err1 == nil && err2 == nil {
		d.seen[normal.OfTerm(d.a, d.a.Eq(left, right), false)] = true
	}
}

// simplifyByFound rebuilds the simplifier from the laws that were found; the simplifier of the book stays.
func (d *Search) simplifyByFound() (err error) {
	if d.found, err = rewrite.Compile(d.env, d.laws); err != nil {
		return err
	}
	d.steps[1] = rewrite.New(d.a, d.found)
	return nil
}

// simplified returns a term simplified by known laws.
func (d *Search) simplified(t smt.Term) smt.Term {
	for {
		to := t
		for _, s := range d.steps {
			to = s.Term(to)
		}
		if to == t {
			return t
		}
		t = to
	}
}

// Found is a law that was proven.
type Found struct {
	Law     *law.Law
	Verdict *law.Verdict
	search  *Search
	sides   [2]*expression
	used    []bool
}

// Run enumerates terms until there are no more of the size or the context ends, and calls found for each law that the
// prover proves.
func (d *Search) Run(ctx context.Context, prover *proof.Prover, found func(*Found)) error {
	for i, p := range d.params {
		d.consider(ctx, &expression{parameter: i, size: 1}, p, nil, nil)
	}
	for i := range d.space.literals {
		l := &d.space.literals[i]
		x := &expression{parameter: -1, literal: l, of: -1, size: 1}
		if l.sort != "" {
			x.of = slices.IndexFunc(d.space.parameters, func(p parameter) bool { return p.sort == l.sort })
		}
		if err := d.consider(ctx, x, 0, prover, found); err != nil {
			return err
		}
	}
	ways, err := d.ways()
	if err != nil {
		return err
	}
	for size := 1; size <= d.size; size++ {
		for _, w := range ways {
			if err := d.apply(ctx, w, size, nil, prover, found); err != nil || ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

// ways lists the operators of the space with the sorts of their arguments.
func (d *Search) ways() (out []*smt.Production, err error) {
	var sorts smt.SortSet
	for _, p := range d.params {
		sorts.Add(d.a.Sort(p))
	}
	for _, text := range d.space.sorts {
		s, err := d.sort(text)
		if err != nil {
			return nil, err
		}
		sorts.Add(s)
	}
	for _, info := range smt.Ops() {
		if !slices.Contains(d.space.theories, info.Theory) || slices.Contains(d.space.without, info.Op) || info.Qualified || info.ModelOnly || strings.Contains(info.Signatures[0], "[") {
			continue
		}
		if !info.Standard() && !(info.SupportedBy("z3") && info.SupportedBy("cvc5")) && d.theory != "set" {
			continue
		}
		for _, p := range d.a.Productions(nil, info.Op, &sorts) {
			out = append(out, &p)
		}
	}
	return out, nil
}

// apply considers the applications of an operator that have the given size and begin with the given arguments.
func (d *Search) apply(ctx context.Context, w *smt.Production, size int, args []*expression, prover *proof.Prover, found func(*Found)) error {
	rest := size - 1
	for _, x := range args {
		rest -= x.size
	}
	i := len(args)
	if i == len(w.Args) {
		if rest != 0 {
			return nil
		}
		return d.consider(ctx, &expression{op: w.Op, args: slices.Clone(args), parameter: -1, of: -1, size: size}, 0, prover, found)
	}
	others := len(w.Args) - i - 1
	for k := 1; k <= rest-others; k++ {
		if others == 0 && k != rest {
			continue
		}
		for _, x := range d.bySize[k][w.Args[i]] {
			if err := d.apply(ctx, w, size, append(args, x), prover, found); err != nil || ctx.Err() != nil {
				return err
			}
		}
	}
	return nil
}

// consider adds a term as a new one, or as one side of a law.
func (d *Search) consider(ctx context.Context, x *expression, t smt.Term, prover *proof.Prover, found func(*Found)) error {
	if t == 0 {
		var err error
		if t, err = x.build(d.a, d.params); err != nil {
			return nil //nolint:nilerr // there is no such term
		}
	}
	d.Terms++
	if x.size > 1 && d.simplified(t) != t {
		d.Reducible++
		return nil
	}
	column, ok := d.column(t)
	if !ok {
		return nil
	}
	other, ok := d.classes[column]
	if !ok {
		d.classes[column] = x
		d.bySize[x.size][d.a.Sort(t)] = append(d.bySize[x.size][d.a.Sort(t)], x)
		return nil
	}
	return d.pair(ctx, x, other, prover, found)
}

// column returns the values of a term at all points as text; ok is false if a value is not known.
func (d *Search) column(t smt.Term) (string, bool) {
	b := []byte(fmt.Sprint(d.a.Sort(t), ":"))
	for _, ev := range d.points {
		v := ev.Value(t)
		if !v.IsValue() || v.Kind() == value.KindRegex {
			return "", false
		}
		b = append(append(b, v.Text(d.a)...), ' ')
	}
	return string(b), true
}

// pair proves that two expressions are equal, unless that follows from known laws.
func (d *Search) pair(ctx context.Context, x, y *expression, prover *proof.Prover, found func(*Found)) error {
	left, err1 := x.build(d.a, d.params)
	right, err2 := y.build(d.a, d.params)
	if err1 != nil || err2 != nil || left == right || normal.OfTerm(d.a, left, true) == normal.OfTerm(d.a, right, true) {
		return nil
	}
	used := make([]bool, len(d.params))
	note := func(n int, asTerm bool) { used[n] = used[n] || asTerm }
	x.parameters(note)
	y.parameters(note)
	if !slices.Contains(used, true) {
		return nil
	}
	key := normal.OfTerm(d.a, d.a.Eq(left, right), false)
	if d.seen[key] {
		return nil
	}
	d.seen[key] = true
	d.Pairs++
	f := &Found{search: d, used: used}
	f.sides = [2]*expression{x.over(d.space, used), y.over(d.space, used)}
	for _, side := range f.sides { // literals of sorts that no other parameter has
		side.parameters(func(n int, _ bool) { used[n] = true })
	}
	if err := f.define(); err != nil {
		return nil //nolint:nilerr // a sort that laws cannot speak of
	}
	quick := proof.Prover{Values: 256}
	v, err := f.Law.Examine(ctx, d.env, &quick)
	if err != nil {
		return nil //nolint:nilerr // not for all numbers
	}
	if v.Refuted != "" {
		d.Refuted++
		return nil
	}
	if f.Verdict, err = f.Law.Examine(ctx, d.env, prover); err != nil {
		return err
	}
	d.Disputes = append(d.Disputes, f.Verdict.Disputes...)
	switch {
	case ctx.Err() != nil:
		return nil
	case f.Verdict.Refuted != "":
		d.Refuted++
		return nil
	case !f.Verdict.Proven():
		d.Unproven++
		return nil
	}
	d.laws = append(d.laws, f.Law)
	found(f)
	return d.simplifyByFound()
}

// define makes the law of two sides.
func (f *Found) define() error {
	d := f.search
	l := &law.Law{Theory: d.theory, Where: "discovered"}
	for i, p := range d.space.parameters {
		if !f.used[i] {
			continue
		}
		x, err := law.ParseParameter(p.sort)
		if err != nil {
			return err
		}
		x.Name = p.name
		l.Parameters = append(l.Parameters, x)
	}
	l.Name = d.name(f.sides[0])
	l.Make = func(_ any, a *smt.Arena, sorts []smt.Sort, _ []*big.Int) (*law.Definition, error) {
		params := make([]smt.Term, len(d.params))
		n := 0
		for i := range params {
			if f.used[i] {
				params[i] = a.Const(a.Declare(template.ArgName(n), nil, sorts[n]))
				n++
			}
		}
		left, err := f.sides[0].build(a, params)
		if err != nil {
			return nil, err
		}
		right, err := f.sides[1].build(a, params)
		return &law.Definition{Left: left, Right: right}, err
	}
	f.Law = l
	return l.Check()
}

// name makes a name from the first operators of a term.
func (d *Search) name(x *expression) string {
	var parts []string
	var walk func(x *expression)
	walk = func(x *expression) {
		if x.parameter < 0 && x.literal == nil && len(parts) < 3 {
			name := strings.NewReplacer(".", "_", "-", "_", "=", "eq", "<=", "le", "<", "lt", ">=", "ge", ">", "gt", "+", "plus", "*", "times").Replace(x.op.String())
			parts = append(parts, strings.TrimPrefix(strings.TrimPrefix(name, "bv"), d.theory+"_"))
		}
		for _, y := range x.args {
			walk(y)
		}
	}
	walk(x)
	name := d.theory + "." + strings.Join(parts, "_")
	if d.names[name]++; d.names[name] > 1 {
		return fmt.Sprintf("%s_%d", name, d.names[name])
	}
	return name
}

// Text returns the law in Starlark; name returns the names of the functions for operators.
func (f *Found) Text(name func(smt.Op) string) string {
	s := f.search.space
	var sorts, names []string
	for i, p := range s.parameters {
		if f.used[i] {
			sorts, names = append(sorts, fmt.Sprintf("%q", p.sort)), append(names, p.name)
		}
	}
	var left, right strings.Builder
	f.sides[0].write(&left, s, name)
	f.sides[1].write(&right, s, name)
	list := strings.Join(names, ", ")
	return fmt.Sprintf("law(%q, sorts = [%s], lhs = lambda %s: %s, rhs = lambda %s: %s)", f.Law.Name, strings.Join(sorts, ", "), list, left.String(), list, right.String())
}
