package value

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/random"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/corpus"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
)

// Corpus is the seeds of a script.
type Corpus struct{ c *corpus.Corpus }

// NewCorpus returns a corpus of the seeds in their order.
func NewCorpus(source string, seeds []corpus.Seed) *Corpus {
	return &Corpus{corpus.New(source, seeds)}
}

// CorpusOf returns seeds as scripts see them.
func CorpusOf(seeds *corpus.Corpus) *Corpus { return &Corpus{seeds} }

// Engine returns the seeds; nil of nil.
func (c *Corpus) Engine() *corpus.Corpus {
	if c == nil {
		return nil
	}
	return c.c
}

func (c *Corpus) String() string {
	return fmt.Sprintf("<corpus of %d seeds: %s>", len(c.Seeds()), c.c.Source())
}
func (c *Corpus) Type() string          { return "corpus" }
func (c *Corpus) Freeze()               {} // immutable
func (c *Corpus) Truth() starlark.Bool  { return len(c.Seeds()) > 0 }
func (c *Corpus) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: corpus") }

// Len implements starlark.Sequence.
func (c *Corpus) Len() int { return len(c.Seeds()) }

// Attr implements starlark.HasAttrs.
func (c *Corpus) Attr(name string) (starlark.Value, error) { return CorpusType.Attr(c, name) }

// AttrNames implements starlark.HasAttrs.
func (c *Corpus) AttrNames() []string { return CorpusType.AttrNames() }

// Seeds returns the seeds, not to be modified.
func (c *Corpus) Seeds() []corpus.Seed { return c.c.Seeds() }

// maxRedraws bounds how many broken seeds in a row are skipped by one pick.
const maxRedraws = 1000

// Pick draws a seed. Broken ones are noted and another one is drawn, which depends on nothing but the stream and the
// files.
func (c *Corpus) Pick(s *Session, r *rng.Source) (*Case, error) {
	if len(c.Seeds()) == 0 {
		return nil, c.c.Empty()
	}
	return c.draw(s, len(c.Seeds()), func(i int) int { return i }, r)
}

// draw draws one of n seeds that can be used; at returns their numbers.
func (c *Corpus) draw(s *Session, n int, at func(i int) int, r *rng.Source) (*Case, error) {
	var last error
	for range maxRedraws {
		k, err := c.at(s, at(r.Intn(n)))
		if err == nil {
			return k, nil
		}
		last = err
	}
	if isDeclined(last) {
		return nil, &registry.Skip{Reason: "the targets take none of the seeds"}
	}
	return nil, fmt.Errorf("%d seeds in a row could not be read; the last error: %w", maxRedraws, last)
}

// at returns seed i; an error says that it cannot be used, or that the targets do not take it.
func (c *Corpus) at(s *Session, i int) (*Case, error) {
	k, err := s.Seed(c.Seeds()[i])
	if isDeclined(err) {
		return nil, err
	}
	if err != nil {
		s.noteBroken(c.Seeds()[i].Name(), err)
		return nil, err
	}
	return k, nil
}

// number returns seed i, whoever takes it.
func (c *Corpus) number(s *Session, i int) (*Case, error) {
	accepted := s.Accepted
	s.Accepted = nil
	defer func() { s.Accepted = accepted }()
	return c.at(s, i)
}

// Check reads every seed once and returns what a campaign says about its seeds. Seeds beyond a budget of bytes are
// counted without being read.
func (c *Corpus) Check(budget int64) campaign.Seeds {
	return c.c.Check(budget, func(name string, text []byte) error {
		_, err := parseSeed(name, text)
		return err
	})
}

// Named returns the seed that has a name, read anew, with what its label says of its answers.
func (c *Corpus) Named(name string) (*testcase.Case, error) {
	for _, src := range c.Seeds() {
		if src.Name() == name {
			k, err := NewSession().Seed(src)
			if err != nil {
				return nil, err
			}
			return k.Case()
		}
	}
	return nil, fmt.Errorf("%s is no seed of %s", name, c.c.Source())
}

// labelSeed fills in what is said of the answers of a seed whose text says nothing, and on whose word.
func labelSeed(c *Case, src corpus.Seed) {
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

// Next returns the seed whose turn it is in a campaign, or a random one outside of it.
func (c *Corpus) Next(s *Session, r *random.Rng) (*Case, error) {
	src, err := r.Source()
	if err != nil {
		return nil, err
	}
	t := r.Turn()
	if t == nil || c.Len() == 0 {
		return c.Pick(s, src)
	}
	return c.usable(s, c.c.Turn(t.Seed, t.Number), "", src)
}

// usable returns seed i or, where that cannot be read or the targets do not take it, a random one that has a property in common with it.
func (c *Corpus) usable(s *Session, i int, same string, src *rng.Source) (*Case, error) {
	if k, err := c.at(s, i); err == nil {
		return k, nil
	}
	alike := c.c.Alike(i, same)
	return c.draw(s, len(alike), func(k int) int { return int(alike[k]) }, src)
}

// Pair returns two seeds that have a property in common ("", "status" or "logic"): those whose turn it is in a campaign, or random
// ones outside of it.
func (c *Corpus) Pair(s *Session, r *random.Rng, same string) (*Case, *Case, error) {
	src, err := r.Source()
	if err != nil {
		return nil, nil, err
	}
	if c.Len() == 0 {
		return nil, nil, c.c.Empty()
	}
	t := r.Turn()
	if t == nil {
		t = &random.Turn{Seed: src.Uint64(), Number: src.Uint64() >> 1}
	}
	first, second := c.c.Pair(t.Seed, t.Number, same)
	a, err := c.usable(s, first, same, src)
	if err != nil || first == second {
		return a, a, err
	}
	b, err := c.usable(s, second, same, src)
	return a, b, err
}

// Iterate implements starlark.Iterable: the seeds that can be read, in order, as cases of a session of their own.
func (c *Corpus) Iterate() starlark.Iterator { return &corpusIterator{c: c, s: NewSession()} }

type corpusIterator struct {
	c *Corpus
	s *Session
	i int
}

func (it *corpusIterator) Next(p *starlark.Value) bool {
	for it.i < len(it.c.Seeds()) {
		src := it.c.Seeds()[it.i]
		it.i++
		it.s.seeds.trim()
		if k, err := it.s.Seed(src); err == nil {
			*p = k
			return true
		}
	}
	return false
}

func (it *corpusIterator) Done() {}

// Filter keeps the seeds whose logic and status are wanted; nil wants any.
func (c *Corpus) Filter(logics, status []string) *Corpus { return &Corpus{c.c.Filter(logics, status)} }

// turnArgs are the arguments of corpus.pick and corpus.next.
type turnArgs struct{ Rng *random.Rng }

// pairArgs are the arguments of corpus.pair.
type pairArgs struct {
	Rng  *random.Rng
	Same string
}

// CorpusType describes the attributes and methods of corpora.
var CorpusType = registry.NewType("corpus", "Seeds in a fixed order. `for seed in corpus` goes through those that can be read; len(corpus) counts all.", []registry.Builtin{
	{Name: "pick", Doc: "A random seed, as a case. Seeds that cannot be read are skipped, counted and named in the summary.",
		Params: []registry.Param{{Name: "rng", Type: "rng"}}, Ret: "case", Example: "corpus.files(\"seeds\", status = \"sat\").pick(rng(1)).status  # -> \"sat\"",
		Do: registry.Method(func(call *registry.Call, c *Corpus, a *turnArgs) (starlark.Value, error) {
			src, err := a.Rng.Source()
			if err != nil {
				return nil, err
			}
			k, err := c.Pick(SessionOf(call.Thread), src)
			if err != nil {
				return nil, err
			}
			return k, nil
		})},
	{Name: "next", Doc: "The seed whose turn it is in the campaign, as a case: every seed comes once, in random order, before any comes again, and so on in other orders. Outside of a campaign it is a random seed. Seeds that cannot be read give way to random ones.",
		Params: []registry.Param{{Name: "rng", Type: "rng"}}, Ret: "case", Example: "corpus.files(\"seeds\", status = \"sat\").next(rng(1)).status  # -> \"sat\"",
		Do: registry.Method(func(call *registry.Call, c *Corpus, a *turnArgs) (starlark.Value, error) {
			k, err := c.Next(SessionOf(call.Thread), a.Rng)
			if err != nil {
				return nil, err
			}
			return k, nil
		})},
	{Name: "pair", Doc: "Two different seeds whose turn it is in the campaign, as cases: the first one as next gives it; every ordered pair comes once before any comes again. Outside of a campaign they are random. A corpus of one seed gives it twice.",
		Params: []registry.Param{{Name: "rng", Type: "rng"}, {Name: "*"}, {Name: "same", Type: `"status" | "logic" | None`, Default: "None", Doc: "the second seed has this in common with the first one"}}, Ret: "tuple[case, case]",
		Example: "a, b = corpus.files(\"seeds\").pair(rng(1))\na.name != b.name  # -> True",
		Do: registry.Method(func(call *registry.Call, c *Corpus, a *pairArgs) (starlark.Value, error) {
			first, second, err := c.Pair(SessionOf(call.Thread), a.Rng, a.Same)
			if err != nil {
				return nil, err
			}
			return starlark.Tuple{first, second}, nil
		})},
	{Name: "at", Doc: "Seed number i, from 0, as a case.",
		Params: []registry.Param{{Name: "i", Type: "int"}}, Ret: "case", Example: "corpus.files(\"seeds\").at(0).name  # -> \"seeds/sat.smt2\"",
		Do: registry.Method(func(c *registry.Call, k *Corpus, a *struct{ I int }) (starlark.Value, error) {
			if a.I < 0 || a.I >= len(k.Seeds()) {
				return nil, c.Errorf(&a.I, "%d is not between 0 and %d", a.I, len(k.Seeds())-1)
			}
			seed, err := k.number(SessionOf(c.Thread), a.I)
			if err != nil {
				return nil, err
			}
			return seed, nil
		})},
	{Name: "names", Doc: "The names of the seeds.", Ret: "list[str]", Example: "corpus.files(\"seeds\").names  # -> [\"seeds/sat.smt2\", \"seeds/unsat.smt2\"]",
		Get: func(v starlark.Value) (starlark.Value, error) {
			var out []starlark.Value
			for _, s := range v.(*Corpus).Seeds() {
				out = append(out, starlark.String(s.Name()))
			}
			return starlark.NewList(out), nil
		}},
	{Name: "trust", Doc: "The seeds, and those without a status are taken to have the answer: neither their (set-info :status …) nor a folder sat/ or unsat/ that they lie in says another one. What rests on that is called assumed, and a seed that a model refutes is named and used no more.",
		Params: []registry.Param{{Name: "answer", Type: `"sat" | "unsat"`}}, Ret: "corpus",
		Example: "corpus.texts([\"(assert true)(check-sat)\"]).trust(\"sat\").at(0).status  # -> \"sat\"",
		Do: registry.Method(func(_ *registry.Call, c *Corpus, a *struct{ Answer string }) (starlark.Value, error) {
			answer, _ := smtlib.ParseAnswer(a.Answer)
			return &Corpus{c.c.Trust(answer)}, nil
		})},
	{Name: "filter", Doc: "The seeds with the given logics and statuses.",
		Params: []registry.Param{
			{Name: "logic", Type: "str | list[str] | None", Default: "None", Doc: "as in set-logic"},
			{Name: "status", Type: `"sat" | "unsat" | "unknown" | None`, Default: "None", Doc: "as in (set-info :status …); where a file has none, the nearest folder called sat or unsat that it lies in counts"},
		},
		Ret: "corpus", Example: "len(corpus.files(\"seeds\").filter(status = \"unsat\"))  # -> 1",
		Do: registry.Method(func(_ *registry.Call, c *Corpus, a *struct{ Logic, Status []string }) (starlark.Value, error) {
			return c.Filter(a.Logic, a.Status), nil
		})},
})
