package law

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// Certificate says by whom a law was proven, at which numbers.
type Certificate struct {
	Key, Name  string
	Instances  int // choices of numbers, lengths of lists and regular expressions for which the law was evaluated
	Values     int // tuples of values on which it was
	Exhaustive int // instances for which these were all tuples there are
	Solvers    []Confirmation
	Written    string // the proof in words, where one is needed
}

// Confirmation is one solver's proof of a part of a law.
type Confirmation struct {
	Solver        string
	Proven, Asked int      // instances
	Numbers       []string // of those that were proven
	CPU           time.Duration
}

// String writes the certificate as a line: the key, the name, and the checks that were made.
func (c *Certificate) String() string {
	parts := []string{fmt.Sprintf("%s %s", c.Key, c.Name), fmt.Sprintf("evaluated on %d values in %d instances, all values in %d", c.Values, c.Instances, c.Exhaustive)}
	for _, s := range c.Solvers {
		if s.Proven == 0 {
			continue
		}
		at := ""
		if len(s.Numbers) > 0 {
			at = " (" + strings.Join(s.Numbers, "; ") + ")"
		}
		parts = append(parts, fmt.Sprintf("%s %d of %d%s %.1fs", s.Solver, s.Proven, s.Asked, at, s.CPU.Seconds()))
	}
	if c.Written != "" {
		parts = append(parts, "in words: "+c.Written)
	}
	return strings.Join(parts, " | ")
}

// Verdict is the result of a check of a law.
type Verdict struct {
	Certificate Certificate
	Refuted     string // for which numbers and values it is wrong, and both values; "" if it is not
	Open        string // why it is not proven; "" if it is
	Disputes    []proof.Dispute
}

// Proven reports whether the law may be used.
func (v *Verdict) Proven() bool { return v.Refuted == "" && v.Open == "" }

// Numbers of instances for which solvers are asked, and the values that are evaluated for a law in all.
const (
	maxAsked     = 8
	totalValues  = 120000
	fewestValues = 256
)

// Examine proves or refutes a law. It is proven if nothing refutes it and two solvers prove it, each for at least two
// choices of its numbers where there are several; or one solver does, and it was evaluated on all values of an
// instance; or there is a proof in words.
func (l *Law) Examine(ctx context.Context, env any, prover *proof.Prover) (*Verdict, error) {
	key, err := l.Key(env)
	if err != nil {
		return nil, err
	}
	instances, err := l.Instances(env)
	if err != nil {
		return nil, err
	}
	x := &examination{law: l, v: &Verdict{Certificate: Certificate{Key: key, Name: l.Name, Written: l.Written}}, hard: map[string]int{}}
	asked := chosen(instances)
	for i, instance := range instances {
		p := proof.Prover{Values: min(max(totalValues/len(instances), fewestValues), prover.Values)}
		if asked[i] {
			p.Solvers = x.willing(prover.Solvers)
		}
		if err := x.instance(ctx, instance, &p); err != nil || x.v.Refuted != "" {
			return x.v, err
		}
	}
	x.conclude(len(prover.Solvers))
	return x.v, nil
}

// chosen says for which instances solvers are asked: the first, and others spread over all.
func chosen(instances []*Instance) []bool {
	out := make([]bool, len(instances))
	n := min(len(instances), maxAsked)
	for i := range n {
		out[i*len(instances)/n] = true
	}
	return out
}

// examination is one check of a law.
type examination struct {
	law  *Law
	v    *Verdict
	held int
	hard map[string]int // how often a solver did not decide
}

// willing are the solvers that did not fail twice.
func (x *examination) willing(all []proof.Reference) []proof.Reference {
	return slices.DeleteFunc(slices.Clone(all), func(s proof.Reference) bool { return x.hard[s.Name] > 1 })
}

func (x *examination) instance(ctx context.Context, instance *Instance, p *proof.Prover) error {
	c := &x.v.Certificate
	c.Instances++
	exhaustive := false // for some sorts in place of capital letters
	for _, claim := range instance.Claims {
		ask := proof.Prover{Values: p.Values}
		if claim.Script != nil {
			ask.Solvers = p.Solvers
		}
		v, err := ask.Prove(ctx, claim, false)
		if err != nil {
			return err
		}
		x.v.Disputes = append(x.v.Disputes, v.Disputes...)
		if v.Refuted != "" {
			x.v.Refuted = v.Refuted
			if instance.Numbers != "" {
				x.v.Refuted = "for " + instance.Numbers + ": " + x.v.Refuted
			}
			return nil
		}
		c.Values += v.Values
		x.held += v.Held
		exhaustive = exhaustive || v.Exhaustive
		for _, a := range v.Asked {
			x.note(a, instance.Numbers)
		}
	}
	if exhaustive {
		c.Exhaustive++
	}
	return nil
}

// note counts the answer of a solver.
func (x *examination) note(a proof.Asked, numbers string) {
	c := &x.v.Certificate
	k := slices.IndexFunc(c.Solvers, func(s Confirmation) bool { return s.Solver == a.Solver })
	if k < 0 {
		k = len(c.Solvers)
		c.Solvers = append(c.Solvers, Confirmation{Solver: a.Solver})
	}
	s := &c.Solvers[k]
	s.Asked++
	s.CPU += a.CPU
	if !a.Proven {
		x.hard[a.Solver]++
		return
	}
	s.Proven++
	if numbers != "" && !slices.Contains(s.Numbers, numbers) {
		s.Numbers = append(s.Numbers, numbers)
	}
}

// conclude decides whether the results amount to a proof.
func (x *examination) conclude(solvers int) {
	c := &x.v.Certificate
	if x.held == 0 && c.Values > 0 {
		x.v.Open = "its condition was true for none of the values that were tried"
		return
	}
	need := min(2, c.Instances)
	confirmed := 0
	for _, s := range c.Solvers {
		if s.Proven >= need {
			confirmed++
		}
	}
	if c.Written != "" || confirmed >= 2 || confirmed == 1 && c.Exhaustive > 0 {
		return
	}
	x.v.Open = fmt.Sprintf("of %d solvers %d proved it; want two, or one where all values of small sorts were tried, or a proof in words (proof = ...)", solvers, confirmed)
}
