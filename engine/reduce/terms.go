package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/literal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"

	"github.com/smtlark/smtlark/engine/reduce/weight"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// replaceByConstant replaces terms by constants of their sort, the one that keeps the value under the witness first.
func replaceByConstant(s *search) {
	consts := map[smt.Sort][]smt.Term{}
	var ev *eval.Evaluator
	if s.Current().Witness != nil {
		ev = s.Truth.Evaluator(s.Current().Witness)
	}
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		sort := s.Arena.Sort(t)
		cs, ok := consts[sort]
		if !ok {
			cs = literal.Constants(s.Arena, sort)
			consts[sort] = cs
		}
		if slices.Contains(cs, t) && (s.Arena.NumArgs(t) == 0 || t == cs[0]) {
			return nil
		}
		if sort == smt.SortBool && ev != nil && s.Closed(t) {
			if value, known := ev.Holds(t); known {
				b := s.Arena.BoolVal(value)
				return []smt.Term{b, s.Arena.BoolVal(!value)}
			}
		}
		return cs
	})
}

// replaceByChild replaces a term by the nearest subterms of the same sort: an argument, or, where an argument has
// another sort, a subterm of it, such as C in (= 0 (ite C 1 0)).
func replaceByChild(s *search) {
	s.ApplyRounds(func(t smt.Term) []smt.Term { return sameSortBelow(s, t) })
}

// maxBelow and depthBelow bound the search of sameSortBelow.
const (
	maxBelow   = 8
	depthBelow = 4
)

func sameSortBelow(s *search, t smt.Term) []smt.Term {
	a := s.Arena
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

// replaceByDescendant replaces each assertion by a part of it that is at most half as large, again and again: the way
// through deep terms in a number of steps like the logarithm of their size.
func replaceByDescendant(s *search) {
	for again := true; again && !s.Stopped(); {
		again = false
		for i := 0; i < len(s.Current().Commands); i++ { // a success may drop declarations
			c := &s.Current().Commands[i]
			if c.Kind != smtlib.CmdAssert {
				continue
			}
			var list []proposal
			for _, d := range halves(s, c.Terms[0]) {
				list = append(list, proposal{Make: func() *state { return s.Edited([]edit{{Term: c.Terms[0], By: d}}, -1) }})
			}
			again = s.FirstOf(list) >= 0 || again
		}
	}
}

// halves returns the largest closed Bool terms below t of at most half its size, outside of binders, at most maxBelow.
func halves(s *search, root smt.Term) []smt.Term {
	a := s.Arena
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
			if size[t] > 1 && s.Closed(t) {
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

// replaceByVariable replaces terms by constants declared in the case, and constants by ones declared before them, so
// that fewer are left.
func replaceByVariable(s *search) {
	declared := map[smt.Sort][]smt.Term{}
	rank := map[smt.Term]int{}
	for i := range s.Current().Commands {
		c := &s.Current().Commands[i]
		if c.Kind != smtlib.CmdDeclareConst && c.Kind != smtlib.CmdDeclareFun {
			continue
		}
		for _, f := range c.Symbols {
			if info := s.Arena.SymbolInfo(f); len(info.Params) == 0 {
				t := s.Arena.Const(f)
				rank[t] = len(rank) + 1
				declared[info.Result] = append(declared[info.Result], t)
			}
		}
	}
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		if s.Arena.IsLiteral(t) {
			return nil
		}
		var out []smt.Term
		for _, v := range declared[s.Arena.Sort(t)] {
			if r := rank[t]; r != 0 && r <= rank[v] || len(out) == 2 {
				break
			}
			if v != t {
				out = append(out, v)
			}
		}
		if s.Closed(t) {
			return out
		}
		for _, v := range s.Arena.FreeVars(t) {
			if v != t && s.Arena.Sort(v) == s.Arena.Sort(t) && len(out) < 3 {
				out = append(out, v)
			}
		}
		return out
	})
}

// replaceByValue replaces terms by their values under the witness, which keeps the truth of everything above them.
func replaceByValue(s *search) {
	if s.Current().Witness == nil {
		return
	}
	ev := s.Truth.Evaluator(s.Current().Witness)
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		if s.Arena.Sort(t) == smt.SortBool || s.Arena.NumArgs(t) == 0 || !s.Closed(t) {
			return nil
		}
		v, err := ev.Eval(t)
		if err != nil {
			return nil
		}
		by, err := value.ToTerm(s.Arena, v)
		if err != nil || by == t || s.Arena.Sort(by) != s.Arena.Sort(t) || weight.Below(s.Arena, by) >= weight.Below(s.Arena, t) {
			return nil
		}
		return []smt.Term{by}
	})
}

// dropArguments removes arguments of terms that take any number of them, by delta debugging.
func dropArguments(s *search) {
	a := s.Arena
	for i := 0; ; {
		targets := s.Targets()
		for i < len(targets) && !manyArguments(a, targets[i]) {
			i++
		}
		if i >= len(targets) || s.Stopped() {
			return
		}
		t := targets[i]
		args := a.CopyArgs(t)
		var by smt.Term // the replacement of t in the latest candidate
		build := func(keep []int) *state {
			if by = withArgs(s, t, args, keep); by == 0 {
				return nil
			}
			return s.Edited([]edit{{Term: t, By: by}}, -1)
		}
		s.Minimize(len(args), build, func() { t = by }) // each success changes the term: the next edit starts from the new one
		i++
	}
}

// withArgs returns t with only some of its arguments, or the remaining argument itself if only one is left. It returns
// 0 if there is no such term.
func withArgs(s *search, t smt.Term, args []smt.Term, keep []int) smt.Term {
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
		if by, err = s.Arena.Rebuild(t, less); err != nil {
			return 0
		}
	}
	if s.Arena.Sort(by) != s.Arena.Sort(t) {
		return 0
	}
	return by
}

// manyArguments reports whether t has more arguments than it needs.
func manyArguments(a *smt.Arena, t smt.Term) bool {
	op := a.Op(t)
	return !op.Structural() && a.NumArgs(t) > 2 && op.Info().Assoc != smt.AssocNone
}

// instantiateQuantifiers replaces quantifiers by instances of their bodies: all variables at once, then one by one.
// Variables become constants declared in the case or literals of their sort.
func instantiateQuantifiers(s *search) {
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		a := s.Arena
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
				to := anyOf(s, a.Sort(v))
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
		// Some sort has no constant and no literal, so that not all variables can go at once.
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
func anyOf(s *search, sort smt.Sort) smt.Term {
	for i := range s.Current().Commands {
		if c := &s.Current().Commands[i]; c.Kind == smtlib.CmdDeclareConst || c.Kind == smtlib.CmdDeclareFun {
			for _, f := range c.Symbols {
				if info := s.Arena.SymbolInfo(f); len(info.Params) == 0 && info.Result == sort {
					return s.Arena.Const(f)
				}
			}
		}
	}
	if cs := literal.Constants(s.Arena, sort); len(cs) > 0 {
		return cs[0]
	}
	return 0
}

// dropAnnotations replaces (! t ...) by t.
func dropAnnotations(s *search) {
	s.ApplyRounds(func(t smt.Term) []smt.Term {
		if s.Arena.Op(t) == smt.OpAnnot {
			return []smt.Term{s.Arena.Arg(t, 0)}
		}
		return nil
	})
}
