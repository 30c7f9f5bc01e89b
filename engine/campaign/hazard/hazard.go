// Package hazard finds the shapes of cases that a target fails on again and again, so that they are made less often and
// the rest is reached: operators with the number and the sorts of their arguments, sorts in a place, commands, options,
// logics. It fails where it dies, refuses the case, or answers wrong.
//
// It looks at many cases, and not at one that was reduced: a shape is suspected where cases with it fail more often
// than cases without it. Cases come in the same order everywhere, which reductions do not.
package hazard

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Floor sets how often an avoided shape may still occur: in one of Floor cases, so that a repaired build is noticed.
const Floor = 50

// sampleEvery sets how often the shapes of a case are noted though nothing failed: for one of sampleEvery cases. The
// number of a case decides.
const sampleEvery = 4

// Failure says how a target failed on a case.
type Failure string

// The failures.
const (
	None    Failure = ""
	Died    Failure = "dies"    // it crashed, or ran away
	Refused Failure = "refuses" // it declined or rejected the case
	Wrong   Failure = "errs"    // its answer is wrong
)

// suspicion states how much evidence of a failure is needed before a shape is avoided.
type suspicion struct {
	failure Failure
	fewest  int     // failures with the shape
	share   float64 // of the cases with the shape
	lift    float64 // that share, in multiples of the share of failures in the cases without the shape
}

// suspicions: a death costs a process and hides the rest of its case, a refusal says nothing at all. A campaign looks
// for wrong answers, but some dozens of one shape are repetitions of the same bug, even if most cases with it are sound
// (OpenSMT's division of three numbers is wrong in one of five).
//
// Several causes at once are in the cases with a shape and in those without, so the lift is low; two causes of one
// shape each have it. A refusal that needs two shapes together, as OpenSMT's of arrays of integers beside arrays of
// reals, is seen in a quarter of the cases with one of them, and hardly anywhere else.
var suspicions = []suspicion{{Died, 12, 0.2, 2}, {Refused, 12, 0.4, 2}, {Refused, 24, 0.2, 5}, {Wrong, 30, 0.1, 2}}

// window is the number of latest noted cases that are examined: 16,000 cases and the failures in between. Cases with
// shapes found earlier are not among them.
const window = 4000

// mostShapes bounds the shapes that are avoided at a time.
const mostShapes = 64

// CaseNote records a case: its shapes (acceptance.Shapes), the product it was made for, and how it failed.
type CaseNote struct {
	For     string      `json:"for,omitempty"`
	Shapes  []rule.Lack `json:"shapes,omitempty"`
	Failure Failure     `json:"failure,omitempty"`
}

// Sampled reports whether case n is noted though nothing failed.
func Sampled(n uint64) bool { return n%sampleEvery == 0 }

// Avoider chooses the shapes to avoid, from failed cases. It is used by one goroutine at a time.
type Avoider struct {
	of map[string]*record
}

// record sums up the cases that were made for one product. Shapes are numbered, for speed: each case of the window is
// examined again for each list of avoided shapes.
type record struct {
	numbers map[rule.Lack]int
	shapes  []rule.Lack // by number
	cases   []noted     // the latest ones without a shape that is avoided
	found   []foundShape
}

// noted is a case.
type noted struct {
	shapes  []int
	sampled bool
	failure Failure
}

// foundShape is a shape that is avoided for the rest of the run.
type foundShape struct {
	Shape
	number int
}

// number returns the number of a shape.
func (x *record) number(l rule.Lack) int {
	n, known := x.numbers[l]
	if !known {
		n = len(x.shapes)
		x.numbers[l] = n
		x.shapes = append(x.shapes, l)
	}
	return n
}

// Add takes a case in. Those that are neither sampled nor failed are left out.
func (t *Avoider) Add(n uint64, c *CaseNote) {
	if c == nil || c.Failure == None && !Sampled(n) {
		return
	}
	if t.of == nil {
		t.of = map[string]*record{}
	}
	x := t.of[c.For]
	if x == nil {
		x = &record{numbers: map[rule.Lack]int{}}
		t.of[c.For] = x
	}
	one := noted{sampled: Sampled(n), failure: c.Failure}
	for _, l := range c.Shapes {
		if Avoidable(l) {
			one.shapes = append(one.shapes, x.number(l))
		}
	}
	if x.explains(&one) {
		return
	}
	if x.cases = append(x.cases, one); len(x.cases) >= 2*window {
		x.cases = slices.Clone(x.cases[len(x.cases)-window:])
	}
}

// explains reports whether a case has a shape that is avoided, and counts it there.
func (x *record) explains(c *noted) bool {
	for i := range x.found {
		f := &x.found[i]
		if !slices.Contains(c.shapes, f.number) {
			continue
		}
		if c.sampled {
			f.Cases += sampleEvery
		}
		if c.failure == f.Failure {
			f.Failures++
		}
		return true
	}
	return false
}

// Shape is a shape that is avoided, and why.
type Shape struct {
	Name     string  `json:"name" help:"of the shape, as solver.lacks shows it in a line; behind an @ the solver that fails, with its version, where targets take turns"`
	Failure  Failure `json:"failure" help:"what the solver does: dies, refuses, or errs (its answer is wrong)"`
	Cases    uint64  `json:"cases" metric:"counter" help:"cases that had it when it was last looked at, about"`
	Failures uint64  `json:"failures" metric:"counter" help:"those of them on which the solver failed so"`
}

// Entry is the name of a shape on which a product fails; product is "" where all targets are asked about each case.
func Entry(shape rule.Lack, product string) string {
	if product == "" {
		return shape.String()
	}
	return shape.String() + "@" + product
}

// Parts returns the shape of a name, and the product that fails on it; "" for all targets.
func Parts(name string) (shape, product string) {
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i], name[i+1:]
	}
	return name, ""
}

// Shapes returns the shapes that a product fails on in most cases that have them, sorted. Failures that one shape
// explains say nothing of others: its cases are left aside from then on. A shape stays avoided.
func (t *Avoider) Shapes() (out []Shape) {
	for product, x := range t.of {
		for _, s := range suspicions {
			for len(x.found) < mostShapes && x.find(s) {
			}
		}
		for _, f := range x.found {
			f.Name = Entry(x.shapes[f.number], product)
			out = append(out, f.Shape)
		}
	}
	slices.SortFunc(out, func(a, b Shape) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// find finds the shape that explains most failures of a kind, and leaves its cases aside; false: there is none.
func (x *record) find(s suspicion) bool {
	failed, with := make([]int, len(x.shapes)), make([]int, len(x.shapes))
	failures, all := 0, 0
	for i := range x.cases {
		c := &x.cases[i]
		if c.sampled {
			all += sampleEvery
		}
		if c.failure == s.failure {
			failures++
		}
		for _, k := range c.shapes {
			if c.sampled {
				with[k] += sampleEvery
			}
			if c.failure == s.failure {
				failed[k]++
			}
		}
	}
	all = max(all, failures)
	best, score := -1, 0.0
	for k, n := range failed {
		if n < s.fewest {
			continue
		}
		cases := float64(max(with[k], n))
		// The failures count as two standard deviations fewer than were seen, because a shape stays avoided for the
		// rest of the run.
		surely := (float64(n) - 2*math.Sqrt(float64(n))) / cases
		rest := float64(failures-n) / max(1, float64(all)-cases)
		// A shape that more than half of the cases have is not avoided: few cases would be left.
		if surely < s.share || surely < s.lift*rest || 2*cases > float64(all) {
			continue
		}
		// A narrow shape beats a wide one that explains some more and has many sound cases beside; a rare one that
		// happens to stand in some failures explains few.
		share := float64(n) / cases
		better := cmp.Compare(share*share*float64(n), score)
		if better > 0 || better == 0 && x.shapes[k].Compare(x.shapes[best]) < 0 {
			best, score = k, share*share*float64(n)
		}
	}
	if best < 0 {
		return false
	}
	x.found = append(x.found, foundShape{number: best, Shape: Shape{
		Failure: s.failure, Cases: uint64(max(with[best], failed[best])), Failures: uint64(failed[best]),
	}})
	x.cases = slices.DeleteFunc(x.cases, func(c noted) bool { return slices.Contains(c.shapes, best) })
	return true
}

// everyday are the commands that cases cannot do without.
var everyday = []string{
	"assert", "check-sat", "set-logic", "set-info", "set-option", "declare-const", "declare-fun", "exit", "declare-sort",
	"define-fun", "mk-fun",
}

// Avoidable reports whether cases can do without a shape: they need connectives and equality, and Boolean terms.
func Avoidable(l rule.Lack) bool {
	switch l.Kind {
	case rule.Operator, rule.ManyArguments:
		op, ok := smt.LookupOp(l.Of)
		return !ok || op.Info().Theory != "Core"
	case rule.Argument:
		return l.With != smt.KindBool.String()
	case rule.Sort:
		return l.Of != smt.KindBool.String() || l.With != "" && l.With != "const" && l.With != "var"
	case rule.Action:
		return !slices.Contains(everyday, l.Of)
	case rule.Theory, rule.LogicAll, rule.BitVectorArrays, rule.Always, rule.Once:
		return false // too much at once
	}
	return true
}

// Avoided returns what case n of a campaign, which is made for a product, does without: of a list of entries those for
// that product, but for each of them one in Floor cases.
func Avoided(entries []string, product string, seed, n uint64) (shapes []rule.Lack) {
	for _, e := range entries {
		name, of := Parts(e)
		if of != product || rng.New(seed).SplitString("avoid "+e).Split(n).Intn(Floor) == 0 {
			continue
		}
		if shape, err := rule.ParseLack(name); err == nil {
			shapes = append(shapes, shape)
		}
	}
	return shapes
}

// OfQuestions returns the shapes that killed targets while smtlark asked them which input they accept.
func OfQuestions(entries []string) (out []Shape) {
	for _, e := range entries {
		out = append(out, Shape{Name: e, Failure: Died, Failures: 1})
	}
	return out
}

// Check describes the error of the first entry that names no shape.
func Check(entries []string) error {
	for _, e := range entries {
		name, _ := Parts(e)
		if _, err := rule.ParseLack(name); err != nil {
			return err
		}
	}
	return nil
}
