package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/logic"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/smtlib/scope"
)

// sortsOfKind returns the sorts of a kind that occur in the case, or in a sort that does, in order of first occurrence.
func (s *session) sortsOfKind(kind smt.SortKind) []smt.Sort {
	a := s.a
	var out []smt.Sort
	seen := map[smt.Sort]bool{}
	var add func(x smt.Sort)
	add = func(x smt.Sort) {
		if x == 0 || seen[x] {
			return
		}
		seen[x] = true
		if a.SortKind(x) == kind {
			out = append(out, x)
		}
		for _, y := range a.SortArgs(x) {
			add(y)
		}
	}
	for i := range s.cur.cmds {
		c := &s.cur.cmds[i]
		for _, f := range c.Symbols {
			for _, p := range a.SymbolInfo(f).Params {
				add(p)
			}
			add(a.SymbolInfo(f).Result)
		}
		for _, d := range c.Sorts {
			if dt := a.Datatype(d); dt != nil {
				for _, k := range dt.Constructors {
					for _, p := range a.SymbolInfo(k.Symbol).Params {
						add(p)
					}
				}
			}
		}
	}
	a.PostOrder(s.allTerms(), func(t smt.Term) { add(a.Sort(t)) })
	return out
}

// narrower makes bit vectors narrower: all widths by the same factor, then one width at a time.
func (s *session) narrower() {
	for again := true; again; {
		widths := s.sortsOfKind(smt.KindBitVec)
		var list []proposal
		for _, f := range []int{16, 8, 4, 2} {
			list = append(list, s.widthsBy(func(w int) int { return max(min(w, 2), (w+f-1)/f) }))
		}
		list = append(list, s.widthsBy(func(w int) int { return (w + 1) / 2 }), s.widthsBy(func(w int) int { return min(w, 8) }))
		for _, sort := range widths {
			w := s.a.Width(sort)
			for _, n := range []int{1, 2, 4, 8, w / 2, w - 1} {
				if n >= 1 && n < w {
					list = append(list, s.widthsBy(func(x int) int {
						if x == w {
							return n
						}
						return x
					}))
				}
			}
		}
		again = s.firstOf(list) >= 0
	}
}

func (s *session) widthsBy(f func(w int) int) proposal {
	return proposal{make: func() *state {
		return s.retyped(change{sort: func(x smt.Sort) smt.Sort {
			if s.a.SortKind(x) != smt.KindBitVec {
				return 0
			}
			return s.a.BitVec(f(s.a.Width(x)))
		}})
	}}
}

// formats are floating-point formats that solvers are good at, the smallest first.
var formats = [][2]int{{2, 3}, {3, 5}, {5, 11}, {8, 24}, {11, 53}}

// shorterFloats makes floating-point formats shorter, all of them at once and then one by one.
func (s *session) shorterFloats() {
	a := s.a
	for again := true; again; {
		var list []proposal
		for _, to := range formats {
			for _, only := range append([]smt.Sort{0}, s.sortsOfKind(smt.KindFloat)...) {
				list = append(list, proposal{make: func() *state {
					return s.retyped(change{sort: func(x smt.Sort) smt.Sort {
						if a.SortKind(x) != smt.KindFloat || only != 0 && x != only {
							return 0
						}
						if eb, sb := a.FloatFormat(x); eb+sb <= to[0]+to[1] {
							return 0
						}
						return a.Float(to[0], to[1])
					}})
				}})
			}
		}
		again = s.firstOf(list) >= 0
	}
}

// fewerParams drops parameters of functions, wherever they are applied: all of a function's, then one at a time.
func (s *session) fewerParams() {
	var list []smt.Symbol
	for i := range s.cur.cmds {
		if c := &s.cur.cmds[i]; c.Kind == smtlib.CmdDeclareFun || c.Kind.IsDefinition() {
			list = append(list, c.Symbols...)
		}
	}
	for _, name := range s.namesOf(list) {
		for {
			f := s.function(name)
			if f == 0 {
				break
			}
			n := len(s.a.SymbolInfo(f).Params)
			var tries []proposal
			drop := func(keep []int) {
				tries = append(tries, proposal{make: func() *state { return s.retyped(change{args: map[smt.Symbol][]int{f: keep}}) }})
			}
			if n > 1 {
				drop(nil)
			}
			for i := range n {
				drop(except(n, i))
			}
			if s.firstOf(tries) < 0 {
				break
			}
		}
	}
}

func except(n, i int) []int {
	var keep []int
	for k := range n {
		if k != i {
			keep = append(keep, k)
		}
	}
	return keep
}

func (s *session) namesOf(list []smt.Symbol) []string {
	var out []string
	for _, f := range list {
		out = append(out, s.a.SymbolName(f))
	}
	return out
}

// function finds a declared or defined function by its name: symbols change with each step.
func (s *session) function(name string) smt.Symbol {
	for i := range s.cur.cmds {
		c := &s.cur.cmds[i]
		if c.Kind != smtlib.CmdDeclareFun && !c.Kind.IsDefinition() {
			continue
		}
		for _, f := range c.Symbols {
			if s.a.SymbolName(f) == name {
				return f
			}
		}
	}
	return 0
}

// smallerDatatypes drops datatypes of a group, constructors and fields.
func (s *session) smallerDatatypes() {
	for again := true; again; {
		var list []proposal
		add := func(c change) { list = append(list, proposal{make: func() *state { return s.retyped(c) }}) }
		used := scope.UsesOf(s.a)
		for i := range s.cur.cmds {
			used.Command(&s.cur.cmds[i])
		}
		for i := range s.cur.cmds {
			group := s.cur.cmds[i].Sorts
			for _, d := range group {
				dt := s.a.Datatype(d)
				if dt == nil {
					continue
				}
				if len(group) > 1 {
					add(change{gone: map[smt.SortSymbol]bool{d: true}})
				}
				for _, k := range dt.Constructors {
					if len(dt.Constructors) > 1 && !used.Symbols[k.Symbol] {
						add(change{ctors: map[smt.Symbol]bool{k.Symbol: true}})
					}
				}
				for _, k := range dt.Constructors {
					if n := len(k.Selectors); n > 0 {
						add(change{args: map[smt.Symbol][]int{k.Symbol: nil}})
						for i := range n {
							if n > 1 {
								add(change{args: map[smt.Symbol][]int{k.Symbol: except(n, i)}})
							}
						}
					}
				}
			}
		}
		used.Free()
		again = s.firstOf(list) >= 0
	}
}

// plainSorts puts Int or Bool in the place of declared sorts and of datatypes that are used by name only.
func (s *session) plainSorts() {
	for again := true; again; {
		var list []proposal
		for _, kind := range []smt.SortKind{smt.KindDatatype, smt.KindUser} {
			for _, sort := range s.sortsOfKind(kind) {
				for _, to := range []smt.Sort{smt.SortInt, smt.SortBool} {
					list = append(list, proposal{make: func() *state {
						return s.retyped(change{sort: func(x smt.Sort) smt.Sort {
							if x == sort {
								return to
							}
							return 0
						}})
					}})
				}
			}
		}
		again = s.firstOf(list) >= 0
	}
}

// shortSortNames renames sorts, constructors and selectors.
func (s *session) shortSortNames() {
	taken := s.takenNames()
	names := map[string]string{}
	add := func(old, letters string) {
		if n := shortName(letters, taken); len(n) < len(smt.QuoteSymbol(old)) && names[old] == "" {
			taken[n] = true
			names[old] = n
		}
	}
	for i := range s.cur.cmds {
		for _, d := range s.cur.cmds[i].Sorts {
			name, _ := s.a.SortSymbolName(d)
			add(name, "STUVWABCDEFGHIJKLMNOPQRXYZ")
			dt := s.a.Datatype(d)
			if dt == nil {
				continue
			}
			for _, k := range dt.Constructors {
				add(k.Name, "cdeabfghijklmnopqrstuvwxyz")
				for _, f := range k.Selectors {
					add(s.a.SymbolName(f), "stuvwabcdefghijklmnopqrxyz")
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	s.firstOf([]proposal{{make: func() *state { return s.retyped(change{names: names}) }, is: renamed}})
}

// smallerLogic gives the case a logic with fewer theories, where it needs one: that says more about the cause.
func (s *session) smallerLogic() {
	at := slices.IndexFunc(s.cur.cmds, func(c smtlib.Command) bool { return c.Kind == smtlib.CmdSetLogic })
	for again := at >= 0; again; {
		var list []proposal
		for _, name := range logic.Smaller(s.cur.cmds[at].Text) {
			list = append(list, proposal{make: func() *state {
				c := s.cur.cmds[at]
				c.Text = name
				return s.replaced(at, c)
			}, is: cosmetic})
		}
		again = s.firstOf(list) >= 0
	}
}
