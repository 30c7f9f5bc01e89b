package strre

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkMembership builds a random expression of 20 nodes and asks for a
// string of 30 characters; half of the strings are near members.
func BenchmarkMembership(b *testing.B) {
	r := rand.New(rand.NewPCG(20, 30))
	small := alphabet("abc01")
	type question struct {
		x *rx
		s []rune
	}
	questions := make([]question, 2000)
	builder := NewBuilder()
	for i := range questions {
		var x *rx
		for x == nil || x.size() != 20 {
			x = randomRx(r, small, 20)
		}
		s := make([]rune, 30)
		for j := range s {
			s[j] = small.char(r)
		}
		if i%2 == 0 {
			if member, ok, err := builder.Sample(x.build(builder), 30, r.IntN); err == nil && ok {
				s = append(member, s...)[:30]
			}
		}
		questions[i] = question{x, s}
	}
	b.Run("new builder", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			q := questions[i%len(questions)]
			fresh := NewBuilder()
			if _, err := fresh.Match(q.x.build(fresh), q.s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("kept builder", func(b *testing.B) {
		kept := NewBuilder()
		for i := 0; b.Loop(); i++ {
			q := questions[i%len(questions)]
			if kept.Len() > 100_000 {
				kept.Reset()
			}
			if _, err := kept.Match(q.x.build(kept), q.s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reset", func(b *testing.B) {
		kept := NewBuilder()
		for i := 0; b.Loop(); i++ {
			q := questions[i%len(questions)]
			kept.Reset()
			if _, err := kept.Match(q.x.build(kept), q.s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkShortest(b *testing.B) {
	r := rand.New(rand.NewPCG(20, 31))
	xs := make([]*rx, 500)
	for i := range xs {
		xs[i] = randomRx(r, alphabet("abc01"), 12)
	}
	kept := NewBuilder()
	for i := 0; b.Loop(); i++ {
		kept.Reset()
		if _, _, err := kept.Shortest(xs[i%len(xs)].build(kept)); err != nil {
			b.Fatal(err)
		}
	}
}
