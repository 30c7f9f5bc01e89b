package value

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// SeedSource is one seed that is read when it is needed.
type SeedSource interface {
	// Key tells the seeds of a process apart.
	Key() string
	// Name is how the seed is called in messages and in what is known about a case.
	Name() string
	// Read returns the text.
	Read() ([]byte, error)
}

// Corpus is a list of seeds in a script: files that are parsed when they are picked. Its order is fixed, so a random
// number picks the same seed on any machine that has the same files.
type Corpus struct {
	source string // where the seeds are from, for people
	seeds  []SeedSource
	broken []finding.BrokenSeed // found while filtering
	// hint completes the error of an empty corpus.
	hint string

	mu     sync.Mutex
	groups map[string]*seedGroups // for pairs, by what they have in common
}

// NewCorpus returns a corpus of the seeds in their order.
func NewCorpus(source string, seeds []SeedSource) *Corpus {
	return &Corpus{source: source, seeds: seeds}
}

func (c *Corpus) String() string {
	return fmt.Sprintf("<corpus of %d seeds: %s>", len(c.seeds), c.source)
}
func (c *Corpus) Type() string          { return "corpus" }
func (c *Corpus) Freeze()               {} // immutable
func (c *Corpus) Truth() starlark.Bool  { return len(c.seeds) > 0 }
func (c *Corpus) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: corpus") }

// Len implements starlark.Sequence.
func (c *Corpus) Len() int { return len(c.seeds) }

// Attr implements starlark.HasAttrs.
func (c *Corpus) Attr(name string) (starlark.Value, error) { return CorpusType.Attr(c, name) }

// AttrNames implements starlark.HasAttrs.
func (c *Corpus) AttrNames() []string { return CorpusType.AttrNames() }

// Source says where the seeds are from, for people.
func (c *Corpus) Source() string { return c.source }

// Sources returns the seeds, not to be modified.
func (c *Corpus) Sources() []SeedSource { return c.seeds }

// maxRedraws bounds how many broken seeds in a row are skipped by one pick.
const maxRedraws = 1000

// Pick draws a seed. Broken ones are noted and another one is drawn, which depends on nothing but the stream and the
// files.
func (c *Corpus) Pick(s *Session, r *rng.Source) (*Case, error) {
	if len(c.seeds) == 0 {
		return nil, fmt.Errorf("there are no seeds in %s%s", c.source, c.hint)
	}
	var last error
	for range maxRedraws {
		src := c.seeds[r.Intn(len(c.seeds))]
		k, err := s.Seed(src)
		if err == nil {
			return k, nil
		}
		s.noteBroken(src.Name(), err)
		last = err
	}
	return nil, fmt.Errorf("%d seeds in a row could not be read; the last error: %w", maxRedraws, last)
}

// at returns seed i; an error is that of reading it.
func (c *Corpus) at(s *Session, i int) (*Case, error) {
	k, err := s.Seed(c.seeds[i])
	if err != nil {
		s.noteBroken(c.seeds[i].Name(), err)
		return nil, err
	}
	return k, nil
}

// Check reads every seed once and returns what a campaign says about its seeds. Seeds beyond a budget of bytes are
// counted without being read.
func (c *Corpus) Check(budget int64) campaign.Seeds {
	out := campaign.Seeds{Source: c.source, Broken: slices.Clone(c.broken)}
	for _, src := range c.seeds {
		if budget > 0 {
			text, err := src.Read()
			if err == nil {
				budget -= int64(len(text))
				_, err = parseSeed(src.Name(), text)
			}
			if err != nil {
				out.Broken = append(out.Broken, brokenSeed(src.Name(), err))
				continue
			}
			countLabel(&out.Labels, src, text)
		}
		out.Count++
	}
	return out
}

// brokenSeed describes a seed that cannot be used.
func brokenSeed(name string, err error) finding.BrokenSeed {
	var e *smtlib.Error
	if errors.As(err, &e) {
		return finding.BrokenSeed{File: name, Error: fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)}
	}
	return finding.BrokenSeed{File: name, Error: err.Error()}
}

// FileSeed is a seed in a file that a script may read.
type FileSeed struct {
	Files registry.Files
	Path  string // as the script would write it
}

// Key implements SeedSource.
func (f FileSeed) Key() string { return "file:" + f.Path }

// Name implements SeedSource.
func (f FileSeed) Name() string { return f.Path }

// Read implements SeedSource.
func (f FileSeed) Read() ([]byte, error) { return f.Files.Read(f.Path) }

// TextSeed is a seed whose text is at hand.
type TextSeed struct{ Label, Text string }

// Key implements SeedSource.
func (t TextSeed) Key() string { return "text:" + t.Label + "\x00" + t.Text }

// Name implements SeedSource.
func (t TextSeed) Name() string { return t.Label }

// Read implements SeedSource.
func (t TextSeed) Read() ([]byte, error) { return []byte(t.Text), nil }

// Iterate implements starlark.Iterable: the seeds that can be read, in order, as cases of a session of their own.
func (c *Corpus) Iterate() starlark.Iterator { return &corpusIterator{c: c, s: NewSession()} }

type corpusIterator struct {
	c *Corpus
	s *Session
	i int
}

func (it *corpusIterator) Next(p *starlark.Value) bool {
	for it.i < len(it.c.seeds) {
		src := it.c.seeds[it.i]
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

// Filter keeps the seeds whose logic and status are wanted; nil wants any. Seeds that cannot be read are left out and
// counted as broken.
func (c *Corpus) Filter(logics, status []string) *Corpus {
	if logics == nil && status == nil {
		return c
	}
	return c.where(func(logic, st string) bool {
		return (logics == nil || slices.Contains(logics, logic)) && (status == nil || slices.Contains(status, st))
	})
}

// For keeps the seeds whose logic all of some solvers take by their profiles; all of them if that leaves none.
func (c *Corpus) For(list []*Solver) *Corpus {
	out := c.where(func(logic, _ string) bool {
		return !slices.ContainsFunc(list, func(s *Solver) bool { return !s.Found.Profile.Takes(logic) })
	})
	if len(out.seeds) == 0 {
		return c
	}
	return out
}

// where keeps the seeds of whose logic and status something holds.
func (c *Corpus) where(holds func(logic, status string) bool) *Corpus {
	out := &Corpus{source: c.source, broken: slices.Clone(c.broken), hint: " with the logic and status asked for"}
	for _, src := range c.seeds {
		text, err := src.Read()
		if err != nil {
			out.broken = append(out.broken, brokenSeed(src.Name(), err))
			continue
		}
		logic, st := SeedInfo(src, text)
		if holds(logic, st) {
			out.seeds = append(out.seeds, src)
		}
	}
	return out
}

// turnArgs are the arguments of corpus.pick and corpus.next.
type turnArgs struct{ Rng *Rng }

// pairArgs are the arguments of corpus.pair.
type pairArgs struct {
	Rng  *Rng
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
			if a.I < 0 || a.I >= len(k.seeds) {
				return nil, c.Errorf(&a.I, "%d is not between 0 and %d", a.I, len(k.seeds)-1)
			}
			seed, err := k.at(SessionOf(c.Thread), a.I)
			if err != nil {
				return nil, err
			}
			return seed, nil
		})},
	{Name: "names", Doc: "The names of the seeds.", Ret: "list[str]", Example: "corpus.files(\"seeds\").names  # -> [\"seeds/sat.smt2\", \"seeds/unsat.smt2\"]",
		Get: func(v starlark.Value) (starlark.Value, error) {
			var out []starlark.Value
			for _, s := range v.(*Corpus).seeds {
				out = append(out, starlark.String(s.Name()))
			}
			return starlark.NewList(out), nil
		}},
	{Name: "trust", Doc: "The seeds, and those without a status are taken to have the answer: neither their (set-info :status …) nor a folder sat/ or unsat/ that they lie in says another one. What rests on that is called assumed, and a seed that a model refutes is named and used no more.",
		Params: []registry.Param{{Name: "answer", Type: `"sat" | "unsat"`}}, Ret: "corpus",
		Example: "corpus.texts([\"(assert true)(check-sat)\"]).trust(\"sat\").at(0).status  # -> \"sat\"",
		Do: registry.Method(func(_ *registry.Call, c *Corpus, a *struct{ Answer string }) (starlark.Value, error) {
			answer, _ := smtlib.ParseAnswer(a.Answer)
			return c.Trust(answer), nil
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
