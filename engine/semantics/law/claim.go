package law

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// Instance is a law for one choice of its numbers, of the lengths of its lists and of the regular expressions that it
// speaks of, with what must hold of it.
type Instance struct {
	Rule    *Rule
	Numbers string // the choice, for messages
	Small   bool   // so small that the law must be proven for it
	Claims  []*proof.Claim
}

// letterSorts are the sorts that capital letters stand for when claims are evaluated, one list per claim: sorts with
// few values, so that all values can be tried, and sorts with many.
var letterSorts = [][]func(a *smt.Arena) smt.Sort{
	{func(a *smt.Arena) smt.Sort { return a.BitVec(2) }, func(a *smt.Arena) smt.Sort { return a.BitVec(1) }, func(*smt.Arena) smt.Sort { return smt.SortBool }},
	{func(*smt.Arena) smt.Sort { return smt.SortInt }, func(*smt.Arena) smt.Sort { return smt.SortReal }, func(*smt.Arena) smt.Sort { return smt.SortString }},
}

// lengths has the list lengths for which a law is checked, indexed by the number of its lists.
var lengths = [][][]int{
	{nil},
	{{0}, {1}, {2}, {3}},
	{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 1}, {1, 2}},
	{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {0, 2, 1}},
}

// smallSorts are letterSorts for laws of quantifiers, which are evaluated for all values of their variables.
var smallSorts = [][]func(a *smt.Arena) smt.Sort{
	{func(a *smt.Arena) smt.Sort { return a.BitVec(1) }, func(*smt.Arena) smt.Sort { return smt.SortBool }},
	{func(a *smt.Arena) smt.Sort { return a.BitVec(2) }, func(a *smt.Arena) smt.Sort { return a.BitVec(1) }},
}

// maxVariables bounds the variables of a quantifier where a law of quantifiers is checked.
const maxVariables = 2

// expressions are regular expressions that stand for parameters of sort RegLan, which have no values.
var expressions = []string{
	`re.none`, `re.all`, `re.allchar`, `(str.to_re "")`, `(str.to_re "a")`, `(str.to_re "ab")`, `(re.range "a" "b")`,
	`(re.* (str.to_re "a"))`, `(re.+ (str.to_re "ab"))`, `(re.opt (str.to_re "b"))`, `(re.union (str.to_re "a") (str.to_re "ba"))`,
	`(re.++ re.all (str.to_re "b"))`, `(re.comp (str.to_re "a"))`, `(re.* (re.union (str.to_re "a") (str.to_re "bb")))`,
}

// Numbers of choices that are checked.
const (
	maxTuples      = 24 // of indices, for one choice of the numbers of the sorts
	maxExpressions = 16
	maxInstances   = 160
)

// Instances returns the claims to prove for a law: for small numbers, on which evaluation can be exhaustive, and for
// numbers that occur in practice. The instances are the same each time.
func (l *Law) Instances(env any) ([]*Instance, error) {
	var out []*Instance
	seen := map[string]bool{}
	for _, numbers := range l.choices() {
		b := &smt.Bindings{}
		for i, v := range l.numbers {
			b.BindNumber(v, numbers[i])
		}
		for _, at := range l.tuples(*b) {
			r, err := l.Rule(env, &at)
			if err == template.ErrNone || err == nil && seen[r.Numbers] {
				continue
			}
			if err != nil {
				return nil, err
			}
			seen[r.Numbers] = true
			more, err := l.instances(r, &at, small(numbers))
			if err != nil {
				return nil, fmt.Errorf("%s: law %s: %w", l.Where, l.Name, err)
			}
			if out = append(out, more...); len(out) >= maxInstances {
				return out, nil
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: law %s: no choice of its numbers gives sorts and a condition that is not false", l.Where, l.Name)
	}
	return out, nil
}

func small(numbers []int64) bool {
	for _, n := range numbers {
		if n > 4 {
			return false
		}
	}
	return true
}

// tuples lists the indices for one choice of the numbers of the sorts: all of them, or bounds and some others.
func (l *Law) tuples(b smt.Bindings) []smt.Bindings {
	if len(l.Index) == 0 {
		return []smt.Bindings{b}
	}
	all := []smt.Bindings{b}
	for i := range l.Index {
		x := &l.Index[i]
		var next []smt.Bindings
		for k := range all {
			low, ok1 := x.Low.Big(&all[k])
			high, ok2 := x.High.Big(&all[k])
			if !ok1 || !ok2 || !high.IsInt64() || !low.IsInt64() {
				continue
			}
			for n := low.Int64(); n <= high.Int64(); n++ {
				if span := high.Int64() - low.Int64(); span > 16 && n > low.Int64()+2 && n < high.Int64()-2 && n != low.Int64()+span/2 {
					continue
				}
				to := all[k]
				to.BindNumber(x.Letter, n)
				next = append(next, to)
			}
		}
		all = next
	}
	if len(all) <= maxTuples {
		return all
	}
	r := rng.New(uint64(len(all))).SplitString(l.Name)
	out := []smt.Bindings{all[0], all[len(all)-1]}
	for len(out) < maxTuples {
		out = append(out, all[r.Intn(len(all))])
	}
	return out
}

// instances returns those of a rule.
func (l *Law) instances(r *Rule, b *smt.Bindings, small bool) ([]*Instance, error) {
	lists, regular := 0, 0
	for i := range l.Parameters {
		if l.Parameters[i].List {
			lists++
		}
		if l.Parameters[i].Sort.Kind() == smt.KindRegLan {
			regular++
		}
	}
	if lists >= len(lengths) {
		return nil, fmt.Errorf("%d lists are too many", lists)
	}
	var out []*Instance
	for _, n := range lengths[lists] {
		choices, sorts := 1, letterSorts
		switch {
		case regular > 0:
			choices = maxExpressions
		case l.binders():
			choices, sorts = maxVariables, smallSorts
		}
		for k := range choices {
			x := &Instance{Rule: r, Numbers: r.Numbers, Small: small}
			if len(n) > 0 {
				x.Numbers = strings.TrimSpace(fmt.Sprintf("%s lists of %v", r.Numbers, n))
			}
			if l.binders() {
				x.Numbers = strings.TrimSpace(fmt.Sprintf("%s variables=%d", x.Numbers, k+1))
			}
			// A law that holds for one sort may fail for another, for example one with a single value. So each choice
			// of sorts for its letters is a claim.
			for i, letters := range sorts {
				c, err := l.claim(r, b, n, k, letters, i == 0)
				if err == template.ErrNone {
					continue
				}
				if err != nil {
					return nil, err
				}
				x.Claims = append(x.Claims, c)
				// The claims for further sorts would be the same one again.
				if !l.letters() {
					break
				}
			}
			if len(x.Claims) > 0 {
				out = append(out, x)
			}
		}
	}
	return out, nil
}

// letters reports whether the sorts have letters for sorts.
func (l *Law) letters() (has bool) {
	for i := range l.Parameters {
		l.Parameters[i].Sort.Variables(func(byte) {}, func(byte) { has = true })
	}
	return has
}

// claim makes the claim of an instance with given sorts for the capital letters. If asked, it also makes the script, in
// which the sorts are uninterpreted, so that a proof is valid for all sorts.
func (l *Law) claim(r *Rule, b *smt.Bindings, lengths []int, expression int, letters []func(a *smt.Arena) smt.Sort, script bool) (*proof.Claim, error) {
	n := 0
	x, err := l.state(r, b, lengths, expression, true, func(a *smt.Arena, _ byte) smt.Sort {
		n++
		return letters[(n-1)%len(letters)](a)
	})
	if err != nil {
		return nil, err
	}
	c := &proof.Claim{Arena: x.a, Args: x.constants, Names: x.names, Formula: x.formula(), When: x.when, Wrong: "it does not hold", Sides: []smt.Term{x.left, x.right}}
	if !script {
		return c, nil
	}
	if l.letters() {
		x, err = l.state(r, b, lengths, expression, false, func(a *smt.Arena, v byte) smt.Sort {
			s, _ := a.SortApp(a.DeclareSort(string(rune(v)), 0))
			return s
		})
		if err != nil {
			return nil, err
		}
	}
	c.Script = proof.Query(x.a, l.Name, x.negation()...)
	return c, nil
}

// statement is a law over constants.
type statement struct {
	kind              Kind
	a                 *smt.Arena
	constants         []smt.Term
	names             []string
	left, right, when smt.Term
}

// table returns a formula over variables that has any of its values by the choice of constants: those that declare
// makes, one for all values of the variables.
func table(a *smt.Arena, name string, vars []smt.Term, declare func(string, smt.Sort) smt.Term) smt.Term {
	if len(vars) == 0 {
		return declare(name, smt.SortBool)
	}
	v := vars[0]
	if a.Sort(v) == smt.SortBool {
		return a.MustApp(smt.OpIte, v, table(a, name+" true", vars[1:], declare), table(a, name+" false", vars[1:], declare))
	}
	w := a.Width(a.Sort(v))
	t := table(a, name+" 0", vars[1:], declare)
	for n := uint64(1); n < 1<<w; n++ {
		t = a.MustApp(smt.OpIte, a.Eq(v, a.BVUint(w, n)), table(a, fmt.Sprintf("%s %d", name, n), vars[1:], declare), t)
	}
	return t
}

// state makes the law over constants. Formulas below quantifiers are tables, or functions of the variables.
func (l *Law) state(r *Rule, b *smt.Bindings, lengths []int, expression int, tables bool, letter func(a *smt.Arena, v byte) smt.Sort) (*statement, error) {
	a := smt.NewArena()
	own := b.Numbers()
	sorts, err := l.sorts(a, &own, func(v byte) smt.Sort { return letter(a, v) })
	if err != nil {
		return nil, err
	}
	x := &statement{kind: l.Kind, a: a}
	declare := func(name string, s smt.Sort) smt.Term {
		if s == smt.SortRegLan {
			t, err := smtlib.ParseTerm(a, nil, expressions[expression*(1+len(name)*3+int(name[0]))%len(expressions)])
			if err != nil {
				return 0
			}
			expression = expression*7 + 3
			return t
		}
		t := a.Const(a.Declare(name, nil, s))
		x.constants, x.names = append(x.constants, t), append(x.names, name)
		return t
	}
	args := make([]smt.Term, len(sorts))
	lists := make([][]smt.Term, len(sorts))
	vars := make([][]smt.Term, len(sorts))
	name := func(i int) string {
		if l.Parameters[i].Name == "" {
			return fmt.Sprintf("x%d", i+1)
		}
		return l.Parameters[i].Name
	}
	for i, s := range sorts {
		if !l.Parameters[i].Variables {
			continue
		}
		for k := range expression + 1 {
			vars[i] = append(vars[i], a.Var(fmt.Sprintf("%s!%d", name(i), k+1), s))
		}
	}
	for i, s := range sorts {
		p := &l.Parameters[i]
		name := name(i)
		if p.Variables {
			continue
		}
		if p.Below != "" {
			var own []smt.Term
			for _, k := range p.below {
				own = append(own, vars[k]...)
			}
			if tables {
				args[i] = table(a, name, own, declare)
				continue
			}
			var params []smt.Sort
			for _, v := range own {
				params = append(params, a.Sort(v))
			}
			if args[i], err = a.Apply(a.Declare(name, params, smt.SortBool), own...); err != nil {
				return nil, err
			}
			continue
		}
		if !p.List {
			args[i] = declare(name, s)
			continue
		}
		for k := range lengths[0] {
			lists[i] = append(lists[i], declare(fmt.Sprintf("%s%d", name, k+1), s))
		}
		lengths = lengths[1:]
	}
	m := template.Builder{Arena: a, Lists: lists, Vars: vars}
	for _, side := range []struct {
		from *template.Template
		to   *smt.Term
	}{{r.Left, &x.left}, {r.Right, &x.right}, {r.When, &x.when}} {
		if side.from == nil {
			continue
		}
		if *side.to, err = m.Build(side.from, args, 0, nil, &own); err != nil {
			return nil, err
		}
	}
	if a.Sort(x.left) == smt.SortRegLan { // they are equal if they have the same strings
		s := declare("string", smt.SortString)
		x.left, x.right = a.MustApp(smt.OpStrInRe, s, x.left), a.MustApp(smt.OpStrInRe, s, x.right)
	}
	return x, nil
}

// formula says that the law holds.
func (x *statement) formula() smt.Term {
	a := x.a
	holds := a.Eq(x.left, x.right)
	if x.kind == Implies {
		holds = a.MustApp(smt.OpImplies, x.left, x.right)
	}
	if x.when != 0 {
		holds = a.MustApp(smt.OpImplies, x.when, holds)
	}
	return holds
}

// negation says that it does not.
func (x *statement) negation() []smt.Term {
	a := x.a
	var out []smt.Term
	if x.when != 0 {
		out = append(out, x.when)
	}
	if x.kind == Implies {
		return append(out, x.left, a.Not(x.right))
	}
	return append(out, a.Not(a.Eq(x.left, x.right)))
}
