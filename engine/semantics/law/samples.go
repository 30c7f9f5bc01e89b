package law

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
)

// samples is the number of rules of a law that are looked at for its form.
const samples = 4

// Samples returns the rules for some choices of the numbers, at which the form of a law is examined, and the bindings
// of the numbers. All numbers differ from one rule to the next if possible. So a property that all these rules share is
// taken to hold for all numbers.
func (l *Law) Samples(env any) (rules []*Rule, at []*smt.Bindings, err error) {
	return sampler{l, env}.take(samples)
}

// Sample returns the first of the rules that Samples returns, which shows as much of the form of a law as a single rule
// can.
func (l *Law) Sample(env any) (*Rule, error) {
	rules, _, err := sampler{l, env}.take(1)
	if err != nil {
		return nil, err
	}
	return rules[0], nil
}

// sampler chooses rules of a law that represent all of its rules.
type sampler struct {
	law *Law
	env any
}

// take returns a number of rules, of several as many as it takes for their indices to differ; fewer where there are no
// more.
func (s sampler) take(most int) (rules []*Rule, at []*smt.Bindings, err error) {
	l := s.law
	add := func(r *Rule, b *smt.Bindings) bool {
		if r == nil || slices.Contains(rules, r) {
			return false
		}
		rules, at = append(rules, r), append(at, b)
		return true
	}
	places := int64(samplePlaces)
	if len(l.Index) == 0 {
		places = 1
	}
	for i, width := range sampleWidths {
		for n := range places {
			r, b, err := s.ruleAt(width, func(k int, low, high int64) int64 {
				place := (5*int64(k)+7*(n+int64(i)))%(samplePlaces-1) + 1
				return low + ((high-low)*place+samplePlaces/2)/samplePlaces
			})
			if err != nil {
				return nil, nil, err
			}
			if add(r, b) {
				break
			}
		}
		if len(l.numbers)+len(l.Index) == 0 || len(rules) >= most && (most == 1 || s.differ(at)) {
			return rules, at, nil
		}
	}
	if len(rules) >= most {
		return rules, at, nil
	}
	more, moreAt, err := s.someRules() // the condition leaves few indices
	for i, r := range more {
		add(r, moreAt[i])
	}
	return rules, at, err
}

// samplePlaces is the number of places in the range of an index that Samples looks at.
const samplePlaces = 16

// differ reports whether no index is the same in all bindings.
func (s sampler) differ(at []*smt.Bindings) bool {
	for i := range s.law.Index {
		first, _ := at[0].Number(s.law.Index[i].Letter)
		if !slices.ContainsFunc(at, func(b *smt.Bindings) bool {
			n, _ := b.Number(s.law.Index[i].Letter)
			return n != first
		}) {
			return false
		}
	}
	return true
}

// sampleWidths are the numbers of sorts that are tried; those of finite fields are prime.
var sampleWidths = []int64{23, 17, 11, 8, 5, 3, 2}

// ruleAt returns the rule for a width and the indices that choose takes of their ranges; nil if there is none.
func (s sampler) ruleAt(width int64, choose func(i int, low, high int64) int64) (*Rule, *smt.Bindings, error) {
	b := &smt.Bindings{}
	for i, v := range s.law.numbers {
		n := max(width-int64(i), 2)
		if s.law.floats {
			n = max(3, width/2+int64(i)*2)
		}
		b.BindNumber(v, n)
	}
	if !s.bindIndices(b, choose) {
		return nil, nil, nil
	}
	r, err := s.law.Rule(s.env, b)
	if err == template.ErrNone {
		return nil, nil, nil
	}
	return r, b, err
}

// keyed returns the rules that identify the definition of a law: proofs are recorded under a hash of these rules.
func (s sampler) keyed() (rules []*Rule, err error) {
	for _, width := range sampleWidths {
		for shift := range int64(samples) {
			r, _, err := s.ruleAt(width, func(i int, low, high int64) int64 {
				return low + ((high-low)*(2*int64(i)+1+shift))/(2*int64(len(s.law.Index))+5)
			})
			if err != nil {
				return nil, err
			}
			if r == nil {
				continue
			}
			if rules = append(rules, r); len(s.law.numbers)+len(s.law.Index) == 0 || len(rules) == samples {
				return rules, nil
			}
		}
	}
	if len(rules) == 0 {
		rules, _, err = s.someRules()
	}
	return rules, err
}

// someRules looks for rules among all choices of the numbers for which the law is checked.
func (s sampler) someRules() (rules []*Rule, at []*smt.Bindings, err error) {
	for _, numbers := range s.law.choices() {
		b := smt.Bindings{}
		for i, v := range s.law.numbers {
			b.BindNumber(v, numbers[i])
		}
		for _, to := range s.law.tuples(b) {
			r, err := s.law.Rule(s.env, &to)
			if err == template.ErrNone {
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			if rules, at = append(rules, r), append(at, &to); len(rules) == 4 {
				return rules, at, nil
			}
		}
	}
	if len(rules) == 0 {
		return nil, nil, fmt.Errorf("%s: law %s: no choice of its numbers gives sorts and a condition that is not false", s.law.Where, s.law.Name)
	}
	return rules, at, nil
}

// bindIndices binds the indices, one after the other, to the values that choose picks from their ranges. It returns
// false if a range is empty.
func (s sampler) bindIndices(b *smt.Bindings, choose func(i int, low, high int64) int64) bool {
	for i := range s.law.Index {
		x := &s.law.Index[i]
		low, ok1 := x.Low.Big(b)
		high, ok2 := x.High.Big(b)
		if !ok1 || !ok2 || low.Cmp(high) > 0 || !low.IsInt64() || !high.IsInt64() {
			return false
		}
		b.BindNumber(x.Letter, choose(i, low.Int64(), high.Int64()))
	}
	return true
}
