package smt

import (
	"fmt"
	"math"
)

// typer finds the sorts of applications by the signatures of the operator table.
type typer struct {
	reader
	bindings Bindings // of the signature that is tried
}

const maxIndex = 1 << 40

func (a *typer) argError(op Op, args []Term, i int, want string) *SortError {
	return &SortError{Op: op.String(), Arg: i + 1, Want: want, Got: a.SortString(a.Sort(args[i])), Term: a.Brief(args[i])}
}

// typeOf finds the result sort, or explains why there is none, based on the alternative that matches the most
// arguments.
func (a *typer) typeOf(op Op, idx []Index, args []Term) (Sort, error) {
	info := &opTable[op]
	for i := range info.sigs {
		if s, _, _ := a.try(info, &info.sigs[i], idx, args, math.MaxInt); s != 0 {
			return s, nil
		}
	}
	// Errors are made only now, because their texts cost more than the matching.
	var best *SortError
	furthest := -1
	for i := range info.sigs {
		if _, at, err := a.try(info, &info.sigs[i], idx, args, furthest); err != nil && at > furthest {
			best, furthest = err, at
		}
	}
	if best == nil {
		best = &SortError{Op: op.String(), Want: "cannot be applied to these arguments", Got: fmt.Sprint(len(args))}
	}
	return 0, best
}

// try matches one alternative. A failure reports how far the match got; its error is made only if that is further than
// the best so far.
func (a *typer) try(info *OpInfo, s *Signature, idx []Index, args []Term, beat int) (Sort, int, *SortError) {
	b := &a.bindings
	b.reset()
	if len(idx) != len(s.Indices) {
		if beat >= 0 {
			return 0, 0, nil
		}
		return 0, 0, &SortError{Op: info.Name, Want: "takes " + countOf(len(s.Indices), "index", "indices"), Got: fmt.Sprint(len(idx))}
	}
	for i, x := range idx {
		n, ok := a.IndexUint(x)
		if !ok || n > maxIndex {
			if info.Op == OpDivisible { // the only operator whose index may be of any size and sizes nothing
				n, ok = maxIndex, true
			}
			if !ok || n > maxIndex {
				if beat >= 0 {
					return 0, 0, nil
				}
				return 0, 0, &SortError{Op: info.Name, Want: fmt.Sprintf("index %d must be a numeral below 2^40", i+1), Got: a.indexText(x)}
			}
		}
		b.bindNum(s.Indices[i]-'a', int64(n))
	}
	n, k := len(args), len(s.Args)
	more := s.Repeat >= 0 || k == 2 && info.Assoc != AssocNone
	if n != k && !(n > k && more) {
		if beat >= 0 {
			return 0, 0, nil
		}
		want := "takes " + countOf(k, "argument", "arguments")
		if more {
			want = fmt.Sprintf("takes %d or more arguments", k)
		}
		return 0, 0, &SortError{Op: info.Name, Want: want, Got: fmt.Sprint(n)}
	}
	// The result of one step is the operand of the next, and may have another sort: with concat it grows.
	if n > k && s.Repeat < 0 && info.Assoc == AssocLeft && s.Result.fix == 0 {
		return a.tryFold(info, s, args, beat)
	}
	for i := range args {
		j := s.argFor(i, n)
		if !s.Args[j].matchSort(&a.symbolTable, a.nodes[args[i]].sort, b) {
			if i+1 <= beat {
				return 0, 0, nil
			}
			return 0, i + 1, a.argError(info.Op, args, i, s.Args[j].describeUnder(&a.symbolTable, b))
		}
	}
	return a.finishSig(info, s, args, b, beat)
}

// argFor returns which of the signature's arguments stands for argument i of n.
func (s *Signature) argFor(i, n int) int {
	k := len(s.Args)
	switch {
	case s.Repeat >= 0 && i > s.Repeat:
		return max(s.Repeat, k-(n-i))
	case i >= k:
		return k - 1
	}
	return i
}

func (a *typer) finishSig(info *OpInfo, s *Signature, args []Term, b *Bindings, beat int) (Sort, int, *SortError) {
	for _, c := range s.conds {
		lo, ok1 := c.lo.valueUnder(b)
		hi, ok2 := c.hi.valueUnder(b)
		if ok1 && ok2 && lo > hi {
			if beat > len(args) {
				return 0, 0, nil
			}
			return 0, len(args) + 1, &SortError{Op: info.Name, Want: "index out of range: " + s.Text, Got: a.bound(s, b)}
		}
	}
	r := s.Result.buildSort(&a.symbolTable, b)
	if r == 0 {
		if beat > len(args) {
			return 0, 0, nil
		}
		return 0, len(args) + 1, &SortError{Op: info.Name, Want: "the result " + s.Result.describeUnder(&a.symbolTable, b) + " is not a sort: " + s.Text, Got: a.bound(s, b)}
	}
	return r, 0, nil
}

func (a *typer) bound(s *Signature, b *Bindings) string {
	text := ""
	for v := byte(0); v < 26; v++ {
		if b.numSet&(1<<v) != 0 {
			text += fmt.Sprintf(" %c=%d", 'a'+v, b.nums[v])
		}
	}
	if text == "" {
		return "nothing"
	}
	return text[1:]
}

// tryFold types (f x y z) as (f (f x y) z) where the result sort depends on the arguments.
func (a *typer) tryFold(info *OpInfo, s *Signature, args []Term, beat int) (Sort, int, *SortError) {
	b := &a.bindings
	acc := a.nodes[args[0]].sort
	for i := 1; i < len(args); i++ {
		next := a.nodes[args[i]].sort
		if i > 1 && acc == next && next == a.nodes[args[i-1]].sort && a.sorts[acc].kind != KindBitVec {
			continue // same operands as in the step before
		}
		b.reset()
		if !s.Args[0].matchSort(&a.symbolTable, acc, b) {
			if i <= beat {
				return 0, 0, nil
			}
			return 0, i, a.argError(info.Op, args, i-1, s.Args[0].describeUnder(&a.symbolTable, b))
		}
		if !s.Args[1].matchSort(&a.symbolTable, next, b) {
			if i+1 <= beat {
				return 0, 0, nil
			}
			return 0, i + 1, a.argError(info.Op, args, i, s.Args[1].describeUnder(&a.symbolTable, b))
		}
		r, _, err := a.finishSig(info, s, args, b, beat)
		if r == 0 {
			return 0, len(args) + 1, err
		}
		acc = r
	}
	return acc, 0, nil
}

func (a *typer) checkSingle(op Op, args []Term) error {
	_, err := a.typeOf(op, nil, []Term{args[0], args[0]})
	return err
}

// Fits returns the sort that an operator of the table has for these arguments, or 0 if it does not take them. It makes
// neither a term nor an error. Operators that are written with a sort (as const) fit nothing.
func (a *typer) Fits(op Op, idx []Index, args ...Term) Sort {
	if op.Structural() || op >= NumOps || op.isQualified() {
		return 0
	}
	info := &opTable[op]
	for i := range info.sigs {
		if s, _, _ := a.try(info, &info.sigs[i], idx, args, math.MaxInt); s != 0 && s != SortUnknown {
			return s
		}
	}
	return 0
}
