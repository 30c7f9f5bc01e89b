package reduce

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
)

// sortsOfKind returns the sorts of a kind that occur in the case, or in a sort that does, in order of first occurrence.
func sortsOfKind(s *search, kind smt.SortKind) []smt.Sort {
	a := s.Arena
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
	for i := range s.Current().Commands {
		c := &s.Current().Commands[i]
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
	a.PostOrder(allTerms(s), func(t smt.Term) { add(a.Sort(t)) })
	return out
}

// narrowBitVectors makes bit vectors narrower: all widths by the same factor, then one width at a time.
func narrowBitVectors(s *search) {
	for again := true; again; {
		widths := sortsOfKind(s, smt.KindBitVec)
		var list []proposal
		for _, f := range []int{16, 8, 4, 2} {
			list = append(list, widthsBy(s, func(w int) int { return max(min(w, 2), (w+f-1)/f) }))
		}
		list = append(list, widthsBy(s, func(w int) int { return (w + 1) / 2 }), widthsBy(s, func(w int) int { return min(w, 8) }))
		for _, sort := range widths {
			w := s.Arena.Width(sort)
			for _, n := range []int{1, 2, 4, 8, w / 2, w - 1} {
				if n >= 1 && n < w {
					list = append(list, widthsBy(s, func(x int) int {
						if x == w {
							return n
						}
						return x
					}))
				}
			}
		}
		again = s.FirstOf(list) >= 0
	}
}

func widthsBy(s *search, f func(w int) int) proposal {
	return proposal{Make: func() *state {
		return s.Retyped(retyping{Sort: func(x smt.Sort) smt.Sort {
			if s.Arena.SortKind(x) != smt.KindBitVec {
				return 0
			}
			return s.Arena.BitVec(f(s.Arena.Width(x)))
		}})
	}}
}

// formats are floating-point formats that solvers are good at, the smallest first.
var formats = [][2]int{{2, 3}, {3, 5}, {5, 11}, {8, 24}, {11, 53}}

// shortenFloats makes floating-point formats shorter, all of them at once and then one by one.
func shortenFloats(s *search) {
	a := s.Arena
	for again := true; again; {
		var list []proposal
		for _, to := range formats {
			for _, only := range append([]smt.Sort{0}, sortsOfKind(s, smt.KindFloat)...) {
				list = append(list, proposal{Make: func() *state {
					return s.Retyped(retyping{Sort: func(x smt.Sort) smt.Sort {
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
		again = s.FirstOf(list) >= 0
	}
}

// fewerParameters drops parameters of functions, wherever they are applied: all of a function's, then one at a time.
func fewerParameters(s *search) {
	var list []smt.Symbol
	for i := range s.Current().Commands {
		if c := &s.Current().Commands[i]; c.Kind == smtlib.CmdDeclareFun || c.Kind.IsDefinition() {
			list = append(list, c.Symbols...)
		}
	}
	for _, name := range namesOf(s, list) {
		for {
			f := function(s, name)
			if f == 0 {
				break
			}
			n := len(s.Arena.SymbolInfo(f).Params)
			var tries []proposal
			drop := func(keep []int) {
				tries = append(tries, proposal{Make: func() *state { return s.Retyped(retyping{Args: map[smt.Symbol][]int{f: keep}}) }})
			}
			if n > 1 {
				drop(nil)
			}
			for i := range n {
				drop(except(n, i))
			}
			if s.FirstOf(tries) < 0 {
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

func namesOf(s *search, list []smt.Symbol) []string {
	var out []string
	for _, f := range list {
		out = append(out, s.Arena.SymbolName(f))
	}
	return out
}

// function finds a declared or defined function by its name: symbols change with each step.
func function(s *search, name string) smt.Symbol {
	for i := range s.Current().Commands {
		c := &s.Current().Commands[i]
		if c.Kind != smtlib.CmdDeclareFun && !c.Kind.IsDefinition() {
			continue
		}
		for _, f := range c.Symbols {
			if s.Arena.SymbolName(f) == name {
				return f
			}
		}
	}
	return 0
}

// smallerDatatypes drops datatypes of a group, constructors and fields.
func smallerDatatypes(s *search) {
	for again := true; again; {
		var list []proposal
		add := func(c retyping) {
			list = append(list, proposal{Make: func() *state { return s.Retyped(c) }})
		}
		used := scope.UsesOf(s.Arena)
		for i := range s.Current().Commands {
			used.Command(&s.Current().Commands[i])
		}
		for i := range s.Current().Commands {
			group := s.Current().Commands[i].Sorts
			for _, d := range group {
				dt := s.Arena.Datatype(d)
				if dt == nil {
					continue
				}
				if len(group) > 1 {
					add(retyping{Gone: map[smt.SortSymbol]bool{d: true}})
				}
				for _, k := range dt.Constructors {
					if len(dt.Constructors) > 1 && !used.Symbols[k.Symbol] {
						add(retyping{Constructors: map[smt.Symbol]bool{k.Symbol: true}})
					}
				}
				// Constructors first: each takes its fields along.
				for _, k := range dt.Constructors {
					if n := len(k.Selectors); n > 0 {
						add(retyping{Args: map[smt.Symbol][]int{k.Symbol: nil}})
						for i := range n {
							if n > 1 {
								add(retyping{Args: map[smt.Symbol][]int{k.Symbol: except(n, i)}})
							}
						}
					}
				}
			}
		}
		used.Free()
		again = s.FirstOf(list) >= 0
	}
}

// plainSorts puts Int or Bool in the place of declared sorts and of datatypes that are used by name only.
func plainSorts(s *search) {
	for again := true; again; {
		var list []proposal
		for _, kind := range []smt.SortKind{smt.KindDatatype, smt.KindUser} {
			for _, sort := range sortsOfKind(s, kind) {
				for _, to := range []smt.Sort{smt.SortInt, smt.SortBool} {
					list = append(list, proposal{Make: func() *state {
						return s.Retyped(retyping{Sort: func(x smt.Sort) smt.Sort {
							if x == sort {
								return to
							}
							return 0
						}})
					}})
				}
			}
		}
		again = s.FirstOf(list) >= 0
	}
}
