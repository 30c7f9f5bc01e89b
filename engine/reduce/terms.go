package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/eval/value"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// byConstant replaces terms by constants of their sort, the one that keeps the value under the witness first.
func (s *session) byConstant() {
	consts := map[smt.Sort][]smt.Term{}
	var ev *eval.Evaluator
	if s.cur.witness != nil {
		ev = s.truth.Evaluator(s.cur.witness)
	}
	s.applyRounds(func(t smt.Term) []smt.Term {
		sort := s.a.Sort(t)
		cs, ok := consts[sort]
		if !ok {
			cs = constants(s.a, sort)
			consts[sort] = cs
		}
		if slices.Contains(cs, t) && (s.a.NumArgs(t) == 0 || t == cs[0]) {
			return nil
		}
		if sort == smt.SortBool && ev != nil && s.closed(t) {
			if value, known := ev.Holds(t); known {
				b := s.a.BoolVal(value)
				return []smt.Term{b, s.a.BoolVal(!value)}
			}
		}
		return cs
	})
}

// byChild replaces terms by what is nearest below them of the same sort: an argument, or, where an argument has another
// sort, what is below that, as C in (= 0 (ite C 1 0)).
func (s *session) byChild() {
	s.applyRounds(func(t smt.Term) []smt.Term { return s.sameSortBelow(t) })
}

// maxBelow and depthBelow bound the search of sameSortBelow.
const (
	maxBelow   = 8
	depthBelow = 4
)

func (s *session) sameSortBelow(t smt.Term) []smt.Term {
	a := s.a
	sort := a.Sort(t)
	type at struct {
		t     smt.Term
		depth int
	}
	var out []smt.Term
	var queue []at
	push := func(p smt.Term, depth int) {
		if a.Op(p).IsBinder() || a.Op(p) == smt.OpMatch {
			return // below a binder variables are bound that are not bound here; instantiation does that
		}
		for _, x := range a.CopyArgs(p) {
			queue = append(queue, at{x, depth})
		}
	}
	push(t, 1)
	for i := 0; i < len(queue) && len(out) < maxBelow; i++ {
		x := queue[i]
		if a.Sort(x.t) == sort {
			if !slices.Contains(out, x.t) {
				out = append(out, x.t)
			}
			continue
		}
		if x.depth < depthBelow {
			push(x.t, x.depth+1)
		}
	}
	return out
}

// byDescendant replaces each assertion by a part of it that is at most half as large, again and again: the way through
// deep terms in a number of steps like the logarithm of their size.
func (s *session) byDescendant() {
	for again := true; again && !s.stopped(); {
		again = false
		for i := 0; i < len(s.cur.cmds); i++ { // a success may drop declarations
			c := &s.cur.cmds[i]
			if c.Kind != smtlib.CmdAssert {
				continue
			}
			var list []proposal
			for _, d := range s.halves(c.Terms[0]) {
				list = append(list, proposal{make: func() *state { return s.edited([]edit{{c.Terms[0], d}}, -1) }})
			}
			again = s.firstOf(list) >= 0 || again
		}
	}
}

// halves returns the largest closed Bool terms below t of at most half its size, outside of binders, at most maxBelow.
func (s *session) halves(root smt.Term) []smt.Term {
	a := s.a
	size := map[smt.Term]int{}
	a.PostOrder([]smt.Term{root}, func(t smt.Term) {
		n := 1
		for _, x := range a.Args(t) {
			n = min(n+size[x], 1<<30)
		}
		size[t] = n
	})
	if size[root] < 32 {
		return nil
	}
	var out []smt.Term
	seen := map[smt.Term]bool{}
	queue := []smt.Term{root}
	for i := 0; i < len(queue); i++ {
		t := queue[i]
		if size[t] <= size[root]/2 && a.Sort(t) == smt.SortBool {
			if size[t] > 1 && s.closed(t) {
				out = append(out, t)
			}
			continue
		}
		if a.Op(t).IsBinder() {
			continue
		}
		for _, x := range a.Args(t) {
			if !seen[x] {
				seen[x] = true
				queue = append(queue, x)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y smt.Term) int { return size[y] - size[x] })
	return out[:min(len(out), maxBelow)]
}

// byVariable replaces terms by constants declared in the case, and constants by ones declared before them, so that
// fewer are left.
func (s *session) byVariable() {
	declared := map[smt.Sort][]smt.Term{}
	rank := map[smt.Term]int{}
	for i := range s.cur.cmds {
		c := &s.cur.cmds[i]
		if c.Kind != smtlib.CmdDeclareConst && c.Kind != smtlib.CmdDeclareFun {
			continue
		}
		for _, f := range c.Symbols {
			if info := s.a.SymbolInfo(f); len(info.Params) == 0 {
				t := s.a.Const(f)
				rank[t] = len(rank) + 1
				declared[info.Result] = append(declared[info.Result], t)
			}
		}
	}
	s.applyRounds(func(t smt.Term) []smt.Term {
		if s.a.IsLiteral(t) {
			return nil
		}
		var out []smt.Term
		for _, v := range declared[s.a.Sort(t)] {
			if r := rank[t]; r != 0 && r <= rank[v] || len(out) == 2 {
				break
			}
			if v != t {
				out = append(out, v)
			}
		}
		if s.closed(t) {
			return out
		}
		for _, v := range s.a.FreeVars(t) {
			if v != t && s.a.Sort(v) == s.a.Sort(t) && len(out) < 3 {
				out = append(out, v)
			}
		}
		return out
	})
}

// byValue replaces terms by their values under the witness, which keeps the truth of everything above them.
func (s *session) byValue() {
	if s.cur.witness == nil {
		return
	}
	ev := s.truth.Evaluator(s.cur.witness)
	s.applyRounds(func(t smt.Term) []smt.Term {
		if s.a.Sort(t) == smt.SortBool || s.a.NumArgs(t) == 0 || !s.closed(t) {
			return nil
		}
		v, err := ev.Eval(t)
		if err != nil {
			return nil
		}
		by, err := value.ToTerm(s.a, v)
		if err != nil || by == t || s.a.Sort(by) != s.a.Sort(t) || !s.smaller(by, t) {
			return nil
		}
		return []smt.Term{by}
	})
}

func (s *session) smaller(by, t smt.Term) bool {
	w := 0
	s.a.PostOrder([]smt.Term{by}, func(x smt.Term) { w += nodeWeight(s.a, x) })
	limit := 0
	s.a.PostOrder([]smt.Term{t}, func(x smt.Term) { limit += nodeWeight(s.a, x) })
	return w < limit
}

// dropArguments removes arguments of terms that take any number of them, by delta debugging.
func (s *session) dropArguments() {
	a := s.a
	for i := 0; ; {
		targets := s.targets()
		for i < len(targets) && !manyArguments(a, targets[i]) {
			i++
		}
		if i >= len(targets) || s.stopped() {
			return
		}
		t := targets[i]
		args := a.CopyArgs(t)
		var by smt.Term // what the candidate built last has for t
		build := func(keep []int) *state {
			if by = s.withArgs(t, args, keep); by == 0 {
				return nil
			}
			return s.edited([]edit{{t, by}}, -1)
		}
		minimize(len(args), func(next func() (func() []int, bool)) int {
			k := s.first(func() (proposal, bool) {
				keep, ok := next()
				if !ok {
					return proposal{}, false
				}
				return proposal{make: func() *state { return build(keep()) }}, true
			})
			if k >= 0 {
				t = by // the term itself changes with each success: the edit is from what it is now
			}
			return k
		})
		i++
	}
}

// withArgs is t with only some of the arguments it had, itself the one that is left; 0 if there is no such term.
func (s *session) withArgs(t smt.Term, args []smt.Term, keep []int) smt.Term {
	if len(keep) == 0 {
		return 0
	}
	less := make([]smt.Term, len(keep))
	for k, at := range keep {
		less[k] = args[at]
	}
	by := less[0]
	if len(less) > 1 {
		var err error
		if by, err = s.a.Rebuild(t, less); err != nil {
			return 0
		}
	}
	if s.a.Sort(by) != s.a.Sort(t) {
		return 0
	}
	return by
}

// manyArguments reports whether t has more arguments than it needs.
func manyArguments(a *smt.Arena, t smt.Term) bool {
	op := a.Op(t)
	return !op.Structural() && a.NumArgs(t) > 2 && op.Info().Assoc != smt.AssocNone
}

// instantiate replaces quantifiers by instances of their bodies: all variables at once, then one by one. Variables
// become constants declared in the case or literals of their sort.
func (s *session) instantiate() {
	s.applyRounds(func(t smt.Term) []smt.Term {
		a := s.a
		if op := a.Op(t); op != smt.OpForall && op != smt.OpExists {
			return nil
		}
		vars := append([]smt.Term(nil), a.BoundVars(t)...)
		body := a.Body(t)
		all := map[smt.Term]smt.Term{}
		var single []smt.Term
		used := a.FreeVars(body)
		complete := true
		for i, v := range vars {
			one := map[smt.Term]smt.Term{}
			if slices.Contains(used, v) {
				to := s.anyOf(a.Sort(v))
				if to == 0 {
					complete = false
					continue
				}
				all[v], one[v] = to, to
			}
			if len(vars) == 1 {
				continue
			}
			rest := slices.Delete(slices.Clone(vars), i, i+1)
			if nb, err := a.Subst(body, one); err == nil {
				if q, err := a.Quant(a.Op(t), rest, nb); err == nil {
					single = append(single, q)
				}
			}
		}
		if !complete {
			return single
		}
		if whole, err := a.Subst(body, all); err == nil && whole != t {
			return append([]smt.Term{whole}, single...)
		}
		return single
	})
}

// anyOf returns a constant of a sort declared in the case, or a literal; 0 if there is neither.
func (s *session) anyOf(sort smt.Sort) smt.Term {
	for i := range s.cur.cmds {
		if c := &s.cur.cmds[i]; c.Kind == smtlib.CmdDeclareConst || c.Kind == smtlib.CmdDeclareFun {
			for _, f := range c.Symbols {
				if info := s.a.SymbolInfo(f); len(info.Params) == 0 && info.Result == sort {
					return s.a.Const(f)
				}
			}
		}
	}
	if cs := constants(s.a, sort); len(cs) > 0 {
		return cs[0]
	}
	return 0
}

// dropAnnotations replaces (! t ...) by t.
func (s *session) dropAnnotations() {
	s.applyRounds(func(t smt.Term) []smt.Term {
		if s.a.Op(t) == smt.OpAnnot {
			return []smt.Term{s.a.Arg(t, 0)}
		}
		return nil
	})
}
