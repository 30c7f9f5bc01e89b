package workspace

import (
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Turn says which case of a campaign is made: its number, and the seed of the campaign.
type Turn struct{ Seed, Number uint64 }

// Seeds are the seeds of a corpus as cases of a session.
type Seeds struct {
	From *corpus.Corpus
	In   *ThreadState
}

// ErrNoneTaken says that the targets of the case at hand take none of the seeds.
var ErrNoneTaken = errors.New("the targets take none of the seeds")

// maxRedraws bounds how many broken seeds in a row are skipped by one pick.
const maxRedraws = 1000

// Pick draws a seed. Broken ones are noted and another one is drawn, which depends on nothing but the stream and the
// files.
func (s Seeds) Pick(r *rng.Source) (*AnalyzedCase, error) {
	n := len(s.From.Seeds())
	if n == 0 {
		return nil, s.From.Empty()
	}
	if c := s.seedOf(s.In.Grown.Pick(r)); c != nil {
		return c, nil
	}
	return s.draw(n, func(i int) int { return i }, r)
}

// draw draws one of n seeds that can be used; at returns their numbers.
func (s Seeds) draw(n int, at func(i int) int, r *rng.Source) (*AnalyzedCase, error) {
	var last error
	for range maxRedraws {
		c, err := s.At(at(r.Intn(n)))
		if err == nil {
			return c, nil
		}
		last = err
	}
	if why := whyDeclined(last); why != "" {
		return nil, fmt.Errorf("%w, the last one for what they lack: %s", ErrNoneTaken, why)
	}
	return nil, fmt.Errorf("%d seeds in a row could not be read; the last error: %w", maxRedraws, last)
}

// At returns seed i; an error says that it cannot be used, or that the targets do not take it.
func (s Seeds) At(i int) (*AnalyzedCase, error) {
	seed := s.From.Seeds()[i]
	c, err := s.In.Seed(seed)
	if whyDeclined(err) != "" {
		return nil, err
	}
	if err != nil {
		s.In.noteBroken(seed.Name(), err)
		return nil, err
	}
	return c, nil
}

// Number returns seed i, regardless of which targets accept it.
func (s Seeds) Number(i int) (*AnalyzedCase, error) {
	accepted := s.In.Accepted
	s.In.Accepted = nil
	defer func() { s.In.Accepted = accepted }()
	return s.At(i)
}

// Next returns the seed whose turn it is in a campaign, or, without a turn, a random one.
func (s Seeds) Next(turn *Turn, r *rng.Source) (*AnalyzedCase, error) {
	if turn == nil || len(s.From.Seeds()) == 0 {
		return s.Pick(r)
	}
	if c := s.grown(turn); c != nil {
		return c, nil
	}
	return s.usable(s.From.Turn(turn.Seed, turn.Number), "", r)
}

// grown returns a case of the campaign that takes the place of the seed whose turn it is; nil where none does, or the
// targets do not take it.
func (s Seeds) grown(turn *Turn) *AnalyzedCase {
	return s.seedOf(s.In.Grown.Draw(s.From, turn.Seed, turn.Number))
}

// seedOf returns a seed as a case; nil where there is none, or the targets do not take it.
func (s Seeds) seedOf(seed corpus.Seed) *AnalyzedCase {
	if seed == nil {
		return nil
	}
	c, err := s.In.Seed(seed)
	if err != nil {
		return nil
	}
	return c
}

// usable returns seed i or, where that cannot be read or the targets do not take it, a random one that has a property
// in common with it.
func (s Seeds) usable(i int, same string, r *rng.Source) (*AnalyzedCase, error) {
	if c, err := s.At(i); err == nil {
		return c, nil
	}
	alike := s.From.Alike(i, same)
	return s.draw(len(alike), func(k int) int { return int(alike[k]) }, r)
}

// Pair returns two seeds that have a property in common ("", "status" or "logic"): those whose turn it is in a
// campaign, or, without a turn, random ones.
func (s Seeds) Pair(turn *Turn, r *rng.Source, same string) (*AnalyzedCase, *AnalyzedCase, error) {
	if len(s.From.Seeds()) == 0 {
		return nil, nil, s.From.Empty()
	}
	if turn == nil {
		turn = &Turn{Seed: r.Uint64(), Number: r.Uint64() >> 1}
	}
	first, second := s.From.Pair(turn.Seed, turn.Number, same)
	a, err := s.usable(first, same, r)
	if same == "" { // a case has no label, and fits any other seed only where none is asked for
		if c := s.grown(turn); c != nil {
			a, err, first = c, nil, -1
		}
	}
	if err != nil || first == second {
		return a, a, err
	}
	b, err := s.usable(second, same, r)
	return a, b, err
}

// Readable returns the first seed from number i on that can be read, and the number behind it; nil if there is none.
func (s Seeds) Readable(i int) (c *AnalyzedCase, next int) {
	for list := s.From.Seeds(); i < len(list); i++ {
		s.In.seeds.trim()
		if c, err := s.In.Seed(list[i]); err == nil {
			return c, i + 1
		}
	}
	return nil, i
}

// CheckSeed is the error of a text that no cases are made from.
func CheckSeed(name string, text []byte) error {
	_, err := parseSeed(name, text)
	return err
}

// Named returns the seed of a corpus that has a name, read anew, with what its label says of its answers.
func Named(from *corpus.Corpus, name string) (*testcase.Case, error) {
	for _, src := range from.Seeds() {
		if src.Name() == name {
			return Alone(src)
		}
	}
	return nil, fmt.Errorf("%s is no seed of %s", name, from.Source())
}

// Alone returns a seed as a case of a session of its own.
func Alone(src corpus.Seed) (*testcase.Case, error) {
	c, err := NewSession().Seed(src)
	if err != nil {
		return nil, err
	}
	return c.TestCase()
}

// labelSeed gives a seed whose text has no label the label of its folder or of the campaign, and notes the source of
// the label.
func labelSeed(c *AnalyzedCase, src corpus.Seed) {
	if c.tc.Expect != nil {
		return
	}
	l, ok := src.(corpus.Labelled)
	if !ok {
		return
	}
	answer, by := l.Label()
	n := c.tc.Script.CheckSats()
	if !answer.Decided() || n != 1 && !corpus.IsTrusted(src) { // a folder does not say which check it means
		return
	}
	c.tc.Expect = make([]smtlib.Answer, n)
	for i := range c.tc.Expect {
		c.tc.Expect[i] = answer
	}
	c.tc.Origin = c.tc.Origin.Assume(by)
}
