package termread

import (
	"math/big"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// sortReader reads sorts.
type sortReader struct {
	atomReader
	expanded int // how large all the large sorts are that definitions made, written out
}

// MaxSortDepth bounds how deep sorts nest; reading them uses the machine's stack.
const MaxSortDepth = 10000

// Limits for the expansion of sort definitions in a whole script: a sort with a short name is expanded wherever it is
// used.
const (
	largeSort   = 64 // smaller ones are not counted
	maxExpanded = 1 << 22
)

var plainSorts = map[string]smt.Sort{
	"Bool": smt.SortBool, "Int": smt.SortInt, "Real": smt.SortReal, "String": smt.SortString, "RegLan": smt.SortRegLan,
	"RoundingMode": smt.SortRoundingMode,
}

var floatSorts = map[string][2]int{"Float16": {5, 11}, "Float32": {8, 24}, "Float64": {11, 53}, "Float128": {15, 113}}

// Sort reads a sort; Next has been called.
func (r *sortReader) Sort() (smt.Sort, bool) { return r.sortAt(0) }

func (r *sortReader) sortAt(depth int) (smt.Sort, bool) {
	off := r.Pos
	switch sexpr.Class[r.Src[off]] {
	case sexpr.Symbol, sexpr.Bar:
		id, ok := r.Symbol("a sort")
		if !ok {
			return 0, false
		}
		return r.sortApp(off, id, nil)
	case sexpr.Open:
	default:
		return 0, r.Unexpected("a sort")
	}
	if depth > MaxSortDepth {
		return 0, r.Fail(off, "sorts nest deeper than "+strconv.Itoa(MaxSortDepth)+" levels")
	}
	r.Pos++
	r.Next()
	hoff := r.Pos
	id, ok := r.Symbol("the name of a sort")
	if !ok {
		return 0, false
	}
	if r.names.ents[id].special == spUnderscore {
		return r.indexedSort(off)
	}
	var args []smt.Sort
	for r.Next() != sexpr.Close {
		s, ok := r.sortAt(depth + 1)
		if !ok {
			return 0, false
		}
		args = append(args, s)
	}
	r.Pos++ // z3 takes a sort without arguments in parentheses, too, and F* writes all its sorts so
	return r.sortApp(hoff, id, args)
}

// sortApp applies the sort constructor of that name.
func (r *sortReader) sortApp(off int, id NameID, args []smt.Sort) (smt.Sort, bool) {
	s, ok := r.applySort(off, id, args)
	if !ok {
		return 0, false
	}
	if err := r.Arena.CheckSize(s); err != nil {
		return 0, r.Fail(off, err.Error())
	}
	n := &r.names.ents[id]
	if size := r.Arena.SortSize(s); size > largeSort && n.sort != 0 && r.binds[n.sort-1].kind == bindSortMacro {
		if r.expanded += size; r.expanded > maxExpanded {
			return 0, r.Fail(off, "written out, the defined sorts of the script have more than "+strconv.Itoa(maxExpanded)+" parts")
		}
	}
	return s, true
}

func (r *sortReader) applySort(off int, id NameID, args []smt.Sort) (smt.Sort, bool) {
	n := &r.names.ents[id]
	if n.sort != 0 {
		b := &r.binds[n.sort-1]
		switch b.kind {
		case bindSortFixed:
			if len(args) > 0 {
				return 0, r.Fail(off, "the sort parameter "+n.text+" takes no arguments")
			}
			return smt.Sort(b.sym), true
		case bindSortMacro:
			m := &r.macros[b.sym]
			if len(args) != len(m.params) {
				return 0, r.sortArity(off, n.text, len(m.params), len(args))
			}
			if len(args) == 0 {
				return m.body, true
			}
			// All parameters are substituted simultaneously: otherwise arguments that mention a parameter would change,
			// too.
			to := make(map[smt.Sort]smt.Sort, len(args))
			for i, s := range m.params {
				to[s] = args[i]
			}
			return r.Arena.SubstSort(m.body, to), true
		}
		s, err := r.Arena.SortApp(smt.SortSymbol(b.sym), args...)
		if err != nil {
			return 0, r.Fail(off, err.Error())
		}
		return s, true
	}
	if s := plainSorts[n.text]; s != 0 {
		if len(args) > 0 {
			return 0, r.sortArity(off, n.text, 0, len(args))
		}
		return s, true
	}
	if f, ok := floatSorts[n.text]; ok && len(args) == 0 {
		return r.Arena.Float(f[0], f[1]), true
	}
	return r.builtinSort(off, n.text, args)
}

func (r *sortReader) sortArity(off int, name string, want, got int) bool {
	return r.Fail(off, "sort "+name+" takes "+plural(want, "argument")+", given "+strconv.Itoa(got))
}

func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// builtinSort applies a sort constructor that takes sorts.
func (r *sortReader) builtinSort(off int, name string, args []smt.Sort) (smt.Sort, bool) {
	arity := 1
	switch name {
	case "=>": // z3's arrays, as `->` in new versions
		if len(args) < 2 {
			return 0, r.Fail(off, "sort => takes 2 or more arguments, given "+strconv.Itoa(len(args)))
		}
		return r.builtinSort(off, "Array", args)
	case "Array":
		if len(args) > 2 { // z3's arrays of several indices are arrays of arrays
			s := args[len(args)-1]
			for i := len(args) - 2; i >= 0; i-- {
				s = r.Arena.Array(args[i], s)
			}
			return s, true
		}
		arity = 2
	case "Nullable":
		if len(args) == 1 {
			return r.Arena.Nullable(args[0]), true
		}
	case "Seq", "Set", "Bag":
	case "Unicode": // z3's characters
		if len(args) == 0 {
			return r.Arena.Unicode(), true
		}
		arity = 0
	case "RegEx": // z3's older spelling, (RegEx String)
		if len(args) == 1 && args[0] == smt.SortString {
			return smt.SortRegLan, true
		}
		return 0, r.Fail(off, "RegEx is known only over String")
	case "Tuple":
		return r.Arena.Tuple(args...), true
	case "UnitTuple":
		arity = 0
	case "Table":
		return r.Arena.Bag(r.Arena.Tuple(args...)), true
	case "Relation":
		return r.Arena.Set(r.Arena.Tuple(args...)), true
	case "->":
		if len(args) < 2 {
			return 0, r.Fail(off, "sort -> takes 2 or more arguments, given "+strconv.Itoa(len(args)))
		}
		r.HigherOrder = true
		return r.Arena.Func(args...), true
	default:
		return 0, r.Fail(off, "unknown sort "+name)
	}
	if len(args) != arity {
		return 0, r.sortArity(off, name, arity, len(args))
	}
	switch name {
	case "Array":
		return r.Arena.Array(args[0], args[1]), true
	case "Seq":
		return r.Arena.Seq(args[0]), true
	case "Set":
		return r.Arena.Set(args[0]), true
	case "Bag":
		return r.Arena.Bag(args[0]), true
	}
	return r.Arena.Tuple(), true
}

// indexedSort reads the rest of (_ name indices) behind the underscore.
func (r *sortReader) indexedSort(off int) (smt.Sort, bool) {
	r.Next()
	noff := r.Pos
	id, ok := r.Symbol("the name of an indexed sort")
	if !ok {
		return 0, false
	}
	var nums [2]int
	n := 0
	var last *big.Int
	for r.Next() != sexpr.Close {
		v, ok := r.Numeral("a numeral as the index of a sort")
		if !ok {
			return 0, false
		}
		last = v
		if n < 2 {
			// Out of range for every sort, whatever it was.
			nums[n] = smt.MaxWidth + 1
			if v.IsInt64() && v.Int64() <= smt.MaxWidth {
				nums[n] = int(v.Int64())
			}
		}
		n++
	}
	r.Pos++
	name, want := r.names.ents[id].text, 1
	var s smt.Sort
	switch {
	case name == "FloatingPoint" && n == 2:
		s = r.Arena.Float(nums[0], nums[1])
	case name == "BitVec" && n == 1:
		s = r.Arena.BitVec(nums[0])
	case name == "FiniteField" && n == 1:
		s = r.Arena.FiniteField(last)
	case name == "FloatingPoint":
		want = 2
		fallthrough
	case name == "BitVec", name == "FiniteField":
		return 0, r.Fail(off, "sort "+name+" takes "+strconv.Itoa(want)+" indices, given "+strconv.Itoa(n))
	default:
		return 0, r.Fail(noff, "unknown indexed sort "+name)
	}
	if s == 0 {
		return 0, r.Fail(off, "the index of "+name+" is out of range")
	}
	return s, true
}
