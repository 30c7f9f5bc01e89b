package driver

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// part is a candidate of a list: the numbers of the elements that are left.
type part []int

// list is the space of the parts of a list.
type list[E any] struct {
	all   []E
	holds func([]E) bool
}

func (l *list[E]) of(p *part) []E {
	out := make([]E, len(*p))
	for i, k := range *p {
		out[i] = l.all[k]
	}
	return out
}

func (l *list[E]) Finish(*part) {}
func (l *list[E]) Admits(candidate, current *part, _ Change) bool {
	return len(*candidate) < len(*current)
}
func (l *list[E]) Keeps(*part, Change) bool  { return true }
func (l *list[E]) Holds(p *part) bool        { return l.holds(l.of(p)) }
func (l *list[E]) Case(*part) *testcase.Case { return nil } // lists are asked about one at a time
func (l *list[E]) Weight(p *part) int        { return len(*p) }
func (l *list[E]) Enter(*part)               {}
func (l *list[E]) Mark() (m smt.Mark)        { return m }
func (l *list[E]) Release(smt.Mark)          {}

func (l *list[E]) Name(p *part) (n Name) {
	var text []byte
	for _, k := range *p {
		text = binary.AppendUvarint(text, uint64(k))
	}
	sum := sha256.Sum256(text)
	copy(n[:], sum[:])
	return n
}

// Shortest returns a part of a list, in order, of which holds is true and from which no single element can go; holds is
// true of the whole list. It tries without all of it first, then without ever smaller pieces. It ends when ctx does, or
// when holds was asked tests times, 0 for no bound; done is false then.
func Shortest[E any](ctx context.Context, elements []E, tests int, holds func(part []E) bool) (shortest []E, done bool) {
	l := &list[E]{elements, holds}
	whole := make(part, len(elements))
	for i := range whole {
		whole[i] = i
	}
	s := New(ctx, l, &whole, SearchOptions[part]{Tests: tests})
	done = s.Rounds([]*Pass{{Name: "elements", Last: true, Run: func() {
		s.Minimize(len(elements), func(keep []int) *part {
			p := part(keep)
			return &p
		}, nil)
	}}})
	return l.of(s.Current()), done
}
