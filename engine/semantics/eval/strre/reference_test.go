package strre

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// rx is a regular expression of the tests: printed, built, and given its meaning
// directly from the definitions, by sets of positions.
type rx struct {
	op     string // SMT-LIB name
	s, t   []rune
	lo, hi uint64
	kids   []*rx
}

// positions is a set of positions in a string of at most 62 characters.
type positions uint64

func (p positions) has(i int) bool { return p>>i&1 == 1 }

// meaning holds the ends of all expressions in one string.
type meaning struct {
	s    []rune
	memo map[place]positions
}

type place struct {
	r *rx
	i int
}

func newMeaning(s []rune) *meaning { return &meaning{s, map[place]positions{}} }

// ends returns the positions where a member that starts at i can end.
func (r *rx) ends(m *meaning, i int) positions {
	key := place{r, i}
	p, ok := m.memo[key]
	if !ok {
		p = r.compute(m, i)
		m.memo[key] = p
	}
	return p
}

func (r *rx) compute(m *meaning, i int) positions {
	s := m.s
	rest := positions(1<<(len(s)+1)-1) &^ (1<<i - 1) // i to len(s)
	switch r.op {
	case "re.none":
		return 0
	case "re.all":
		return rest
	case "re.allchar":
		return rest & (1 << (i + 1))
	case "str.to_re":
		if i+len(r.s) <= len(s) && string(s[i:i+len(r.s)]) == string(r.s) {
			return 1 << (i + len(r.s))
		}
		return 0
	case "re.range":
		if len(r.s) == 1 && len(r.t) == 1 && i < len(s) && r.s[0] <= s[i] && s[i] <= r.t[0] {
			return 1 << (i + 1)
		}
		return 0
	case "re.++":
		out := positions(1) << i
		for _, k := range r.kids {
			out = k.after(m, out)
		}
		return out
	case "re.union":
		return r.kids[0].ends(m, i) | r.kids[1].ends(m, i)
	case "re.inter":
		return r.kids[0].ends(m, i) & r.kids[1].ends(m, i)
	case "re.diff":
		return r.kids[0].ends(m, i) &^ r.kids[1].ends(m, i)
	case "re.comp":
		return rest &^ r.kids[0].ends(m, i)
	}
	return r.repeated(m, i)
}

// repeated unites the ends of lo, lo+1, ... hi repetitions.
func (r *rx) repeated(m *meaning, i int) positions {
	lo, hi := r.lo, r.hi
	switch r.op {
	case "re.*":
		lo, hi = 0, uint64(len(m.s))+1
	case "re.+":
		lo, hi = 1, uint64(len(m.s))+2
	case "re.opt":
		lo, hi = 0, 1
	case "re.^":
		hi = lo
	}
	out, at := positions(0), positions(1)<<i
	for n := uint64(0); n <= hi && at != 0; n++ {
		if n >= lo {
			out |= at
		}
		at = r.kids[0].after(m, at)
	}
	return out
}

func (r *rx) after(m *meaning, from positions) positions {
	out := positions(0)
	for i := range len(m.s) + 1 {
		if from.has(i) {
			out |= r.ends(m, i)
		}
	}
	return out
}

func (r *rx) match(s []rune) bool { return r.ends(newMeaning(s), 0).has(len(s)) }

func (r *rx) build(b *Builder) Regex {
	kids := make([]Regex, len(r.kids))
	for i, k := range r.kids {
		kids[i] = k.build(b)
	}
	switch r.op {
	case "re.none":
		return None
	case "re.all":
		return All
	case "re.allchar":
		return AllChar
	case "str.to_re":
		return b.Str(r.s)
	case "re.range":
		return b.Range(r.s, r.t)
	case "re.++":
		return b.Concat(kids...)
	case "re.union":
		return b.Union(kids...)
	case "re.inter":
		return b.Inter(kids...)
	case "re.diff":
		return b.Diff(kids[0], kids[1])
	case "re.comp":
		return b.Complement(kids[0])
	case "re.*":
		return b.Star(kids[0])
	case "re.+":
		return b.Plus(kids[0])
	case "re.opt":
		return b.Opt(kids[0])
	case "re.^":
		return b.Power(kids[0], r.lo)
	case "re.loop":
		return b.Loop(kids[0], r.lo, r.hi)
	}
	panic(r.op)
}

func (r *rx) String() string {
	switch r.op {
	case "re.none", "re.all", "re.allchar":
		return r.op
	case "str.to_re":
		return fmt.Sprintf("(str.to_re %s)", Literal(r.s))
	case "re.range":
		return fmt.Sprintf("(re.range %s %s)", Literal(r.s), Literal(r.t))
	}
	head := r.op
	switch r.op {
	case "re.^":
		head = fmt.Sprintf("(_ re.^ %d)", r.lo)
	case "re.loop":
		head = fmt.Sprintf("(_ re.loop %d %d)", r.lo, r.hi)
	}
	var parts []string
	for _, k := range r.kids {
		parts = append(parts, k.String())
	}
	return fmt.Sprintf("(%s %s)", head, strings.Join(parts, " "))
}

func (r *rx) size() int {
	n := 1
	for _, k := range r.kids {
		n += k.size()
	}
	return n
}

// alphabet is what random expressions and strings are made of.
type alphabet []rune

var (
	letters = alphabet("ab")
	wide    = alphabet{'a', 'b', 'c', '0', '"', '\\', 'u', '{', 0, 0xff, 0x2028, 0x1F600, maxChar}
)

func (a alphabet) char(r *rand.Rand) rune { return a[r.IntN(len(a))] }

func (a alphabet) str(r *rand.Rand, most int) []rune {
	s := make([]rune, r.IntN(most+1))
	for i := range s {
		s[i] = a.char(r)
	}
	return s
}

// randomRx makes an expression of about the given number of nodes.
func randomRx(r *rand.Rand, a alphabet, nodes int) *rx {
	if nodes <= 1 {
		switch r.IntN(12) {
		case 0:
			return &rx{op: "re.all"}
		case 1, 2:
			return &rx{op: "re.allchar"}
		case 3:
			return &rx{op: []string{"re.none", "re.all"}[r.IntN(2)]}
		case 4, 5:
			x := &rx{op: "re.range", s: []rune{a.char(r)}, t: []rune{a.char(r)}}
			if r.IntN(8) == 0 {
				x.s = a.str(r, 2)
			}
			return x
		}
		return &rx{op: "str.to_re", s: a.str(r, 1+r.IntN(3))}
	}
	split := 1 + r.IntN(max(nodes-2, 1))
	two := func(op string) *rx {
		return &rx{op: op, kids: []*rx{randomRx(r, a, split), randomRx(r, a, nodes-1-split)}}
	}
	one := func(op string) *rx { return &rx{op: op, kids: []*rx{randomRx(r, a, nodes-1)}} }
	switch r.IntN(16) {
	case 0, 1, 2, 3:
		return two("re.++")
	case 4, 5, 6:
		return two("re.union")
	case 7:
		return two("re.inter")
	case 8:
		return two("re.diff")
	case 9:
		return one("re.comp")
	case 10:
		return one("re.+")
	case 11:
		return one("re.opt")
	case 12:
		x := one("re.^")
		x.lo = uint64(r.IntN(4))
		return x
	case 13:
		x := one("re.loop")
		x.lo, x.hi = uint64(r.IntN(4)), uint64(r.IntN(5))
		return x
	}
	return one("re.*")
}

func allStrings(a alphabet, most int) [][]rune {
	out := [][]rune{nil}
	for i := 0; i < len(out); i++ {
		if len(out[i]) == most {
			continue
		}
		for _, c := range a {
			out = append(out, append(out[i][:len(out[i]):len(out[i])], c))
		}
	}
	return out
}
