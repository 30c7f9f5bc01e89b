// Package hazard finds the operators and commands that make a target die in most cases that have them, so that they are made
// less often and the rest is reached.
//
// It looks at many cases, and not at one that was reduced: an operator is suspected where cases with it end in a death
// more often than cases without it. Cases come in the same order everywhere, which reductions do not.
package hazard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Floor is how many cases there are to one in which an avoided operator may occur all the same.
const Floor = 50

// sampleEvery is how many cases there are to one whose operators are noted though nothing died. Which ones follows from
// their numbers.
const sampleEvery = 4

const (
	fewestDeaths = 5   // of cases with an operator, before anything is said of it
	deadly       = 0.2 // share of its cases that end in a death
	lift         = 4   // how many times the share of all cases that is
)

// Case is what is noted of a case: the operators and commands in it (see triage.Operators), whom it was made for, and
// whether that died.
type Case struct {
	For       string   `json:"for,omitempty"`
	Operators []string `json:"operators,omitempty"`
	Died      bool     `json:"died,omitempty"`
}

// Sampled reports whether case n is noted though nothing died.
func Sampled(n uint64) bool { return n%sampleEvery == 0 }

// Table counts cases. It is used by one goroutine at a time.
type Table struct {
	of map[string]*counts
}

// counts is what is known of the cases that were made for one product.
type counts struct {
	cases  int            // sampled ones
	with   map[string]int // by operator: sampled ones
	deaths [][]string     // their operators
}

// Add counts a case. Those that are neither sampled nor died are left out.
func (t *Table) Add(n uint64, c *Case) {
	if c == nil || !c.Died && !Sampled(n) {
		return
	}
	if t.of == nil {
		t.of = map[string]*counts{}
	}
	x := t.of[c.For]
	if x == nil {
		x = &counts{with: map[string]int{}}
		t.of[c.For] = x
	}
	if Sampled(n) {
		x.cases++
		for _, op := range c.Operators {
			x.with[op]++
		}
	}
	if c.Died {
		x.deaths = append(x.deaths, c.Operators)
	}
}

// Lethal is an operator or a command that is avoided, and why.
type Lethal struct {
	Name   string `json:"name" help:"of the operator, or of the command in parentheses; behind an @ the solver that dies, with its version, where targets take turns"`
	Cases  uint64 `json:"cases" metric:"counter" help:"cases that had it when it was last looked at, about"`
	Deaths uint64 `json:"deaths" metric:"counter" help:"how many of them ended in the death of the solver"`
}

// entry is the name of an operator of which a product dies.
func entry(operator, product string) string {
	if product == "" {
		return operator
	}
	return operator + "@" + product
}

// Parts returns the operator or command of a name, and the product that dies of it; "" for all targets.
func Parts(name string) (operator, product string) {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i], name[i+1:]
	}
	return name, ""
}

// Lethal returns what makes a product die in most cases that have it, sorted. Deaths that one operator explains say nothing of others.
func (t *Table) Lethal() (out []Lethal) {
	for product, x := range t.of {
		for _, l := range x.lethal() {
			l.Name = entry(l.Name, product)
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b Lethal) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (x *counts) lethal() (out []Lethal) {
	left := x.deaths
	all := max(sampleEvery*x.cases, len(left))
	for len(left) >= fewestDeaths {
		deaths := map[string]int{}
		for _, operators := range left {
			for _, op := range operators {
				deaths[op]++
			}
		}
		best, share := Lethal{}, 0.0
		for op, n := range deaths {
			if n < fewestDeaths || !avoidable(op) {
				continue
			}
			cases := max(sampleEvery*x.with[op], n)
			if s := float64(n) / float64(cases); s > share || s == share && (n > int(best.Deaths) || n == int(best.Deaths) && op < best.Name) {
				best, share = Lethal{Name: op, Cases: uint64(cases), Deaths: uint64(n)}, s
			}
		}
		if share < deadly || share < lift*float64(len(left)-int(best.Deaths))/float64(all) {
			break
		}
		out = append(out, best)
		left = slices.DeleteFunc(slices.Clone(left), func(operators []string) bool { return slices.Contains(operators, best.Name) })
	}
	return out
}

// avoidable reports whether cases can do without an operator: they need connectives and equality, and logics are for others to
// choose.
func avoidable(name string) bool {
	if strings.HasPrefix(name, "logic ") || strings.HasPrefix(name, "asked ") {
		return false
	}
	op, ok := smt.LookupOp(name)
	return !ok || op.Info().Theory != "Core"
}

// Avoided returns what case n of a campaign, which is made for a product, does without: of a list of entries those for that
// product, but for each of them one in Floor cases.
func Avoided(entries []string, product string, seed, n uint64) (names []string) {
	for _, e := range entries {
		name, of := Parts(e)
		if of == product && rng.New(seed).SplitString("avoid "+e).Split(n).Intn(Floor) != 0 {
			names = append(names, name)
		}
	}
	return names
}
