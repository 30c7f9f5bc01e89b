package smtlib

import (
	"math/big"
	"strconv"

	"github.com/smtlark/smtlark/engine/smt"
)

// maxSortDepth bounds how deep sorts nest; reading them uses the machine's stack.
const maxSortDepth = 10000

var plainSorts = map[string]smt.Sort{
	"Bool": smt.SortBool, "Int": smt.SortInt, "Real": smt.SortReal, "String": smt.SortString, "RegLan": smt.SortRegLan,
	"RoundingMode": smt.SortRoundingMode,
}

var floatSorts = map[string][2]int{"Float16": {5, 11}, "Float32": {8, 24}, "Float64": {11, 53}, "Float128": {15, 113}}

// sort reads a sort; next has been called.
func (p *parser) sort() (smt.Sort, bool) { return p.sortAt(0) }

func (p *parser) sortAt(depth int) (smt.Sort, bool) {
	off := p.pos
	switch class[p.src[off]] {
	case clSymbol, clBar:
		id, ok := p.symbol("a sort")
		if !ok {
			return 0, false
		}
		return p.sortApp(off, id, nil)
	case clOpen:
	default:
		return 0, p.unexpected("a sort")
	}
	if depth > maxSortDepth {
		return 0, p.fail(off, "sorts nest deeper than "+strconv.Itoa(maxSortDepth)+" levels")
	}
	p.pos++
	p.next()
	hoff := p.pos
	id, ok := p.symbol("the name of a sort")
	if !ok {
		return 0, false
	}
	if p.names.ents[id].special == spUnderscore {
		return p.indexedSort(off)
	}
	var args []smt.Sort
	for p.next() != clClose {
		s, ok := p.sortAt(depth + 1)
		if !ok {
			return 0, false
		}
		args = append(args, s)
	}
	if len(args) == 0 {
		return 0, p.unexpected("an argument of the sort " + p.names.ents[id].text)
	}
	p.pos++
	return p.sortApp(hoff, id, args)
}

// sortApp applies the sort constructor of that name.
func (p *parser) sortApp(off int, id nameID, args []smt.Sort) (smt.Sort, bool) {
	n := &p.names.ents[id]
	if n.sort != 0 {
		b := &p.binds[n.sort-1]
		switch b.kind {
		case bindSortFixed:
			if len(args) > 0 {
				return 0, p.fail(off, "the sort parameter "+n.text+" takes no arguments")
			}
			return smt.Sort(b.sym), true
		case bindSortMacro:
			m := &p.macros[b.sym]
			if len(args) != len(m.params) {
				return 0, p.sortArity(off, n.text, len(m.params), len(args))
			}
			if len(args) == 0 {
				return m.body, true
			}
			to := make(map[smt.Sort]smt.Sort, len(args))
			for i, s := range m.params {
				to[s] = args[i]
			}
			return p.a.SubstSort(m.body, to), true
		}
		s, err := p.a.SortApp(smt.SortSymbol(b.sym), args...)
		if err != nil {
			return 0, p.fail(off, err.Error())
		}
		return s, true
	}
	if s := plainSorts[n.text]; s != 0 {
		if len(args) > 0 {
			return 0, p.sortArity(off, n.text, 0, len(args))
		}
		return s, true
	}
	if f, ok := floatSorts[n.text]; ok && len(args) == 0 {
		return p.a.Float(f[0], f[1]), true
	}
	return p.builtinSort(off, n.text, args)
}

func (p *parser) sortArity(off int, name string, want, got int) bool {
	return p.fail(off, "sort "+name+" takes "+plural(want, "argument")+", given "+strconv.Itoa(got))
}

func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// builtinSort applies a sort constructor that takes sorts.
func (p *parser) builtinSort(off int, name string, args []smt.Sort) (smt.Sort, bool) {
	arity := 1
	switch name {
	case "Array":
		arity = 2
	case "Seq", "Set", "Bag":
	case "RegEx": // z3's older spelling, (RegEx String)
		if len(args) == 1 && args[0] == smt.SortString {
			return smt.SortRegLan, true
		}
		return 0, p.fail(off, "RegEx is known only over String")
	case "Tuple":
		return p.a.Tuple(args...), true
	case "UnitTuple":
		arity = 0
	case "Relation":
		return p.a.Set(p.a.Tuple(args...)), true
	case "->":
		if len(args) < 2 {
			return 0, p.fail(off, "sort -> takes 2 or more arguments, given "+strconv.Itoa(len(args)))
		}
		p.higherOrder = true
		return p.a.Func(args...), true
	default:
		return 0, p.fail(off, "unknown sort "+name)
	}
	if len(args) != arity {
		return 0, p.sortArity(off, name, arity, len(args))
	}
	switch name {
	case "Array":
		return p.a.Array(args[0], args[1]), true
	case "Seq":
		return p.a.Seq(args[0]), true
	case "Set":
		return p.a.Set(args[0]), true
	case "Bag":
		return p.a.Bag(args[0]), true
	}
	return p.a.Tuple(), true
}

// indexedSort reads the rest of (_ name indices) behind the underscore.
func (p *parser) indexedSort(off int) (smt.Sort, bool) {
	p.next()
	noff := p.pos
	id, ok := p.symbol("the name of an indexed sort")
	if !ok {
		return 0, false
	}
	var nums [2]int
	n := 0
	var last *big.Int
	for p.next() != clClose {
		v, ok := p.numeral("a numeral as the index of a sort")
		if !ok {
			return 0, false
		}
		last = v
		if n < 2 {
			nums[n] = smt.MaxWidth + 1
			if v.IsInt64() && v.Int64() <= smt.MaxWidth {
				nums[n] = int(v.Int64())
			}
		}
		n++
	}
	p.pos++
	name, want := p.names.ents[id].text, 1
	var s smt.Sort
	switch {
	case name == "FloatingPoint" && n == 2:
		s = p.a.Float(nums[0], nums[1])
	case name == "BitVec" && n == 1:
		s = p.a.BitVec(nums[0])
	case name == "FiniteField" && n == 1:
		s = p.a.FiniteField(last)
	case name == "FloatingPoint":
		want = 2
		fallthrough
	case name == "BitVec", name == "FiniteField":
		return 0, p.fail(off, "sort "+name+" takes "+strconv.Itoa(want)+" indices, given "+strconv.Itoa(n))
	default:
		return 0, p.fail(noff, "unknown indexed sort "+name)
	}
	if s == 0 {
		return 0, p.fail(off, "the index of "+name+" is out of range")
	}
	return s, true
}

// numeral reads a NUMERAL; next has been called.
func (p *parser) numeral(what string) (*big.Int, bool) {
	if class[p.src[p.pos]] == clDigit {
		e := p.wordEnd(p.pos)
		text := p.src[p.pos:e]
		if allDigits(text) {
			p.pos = e
			n, _ := new(big.Int).SetString(string(text), 10)
			return n, true
		}
	}
	return nil, p.unexpected(what)
}

func allDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}
