package value

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Corpus is the seeds of a script.
type Corpus struct {
	registry.Object[*Corpus]
	c *corpus.Corpus
}

// NewCorpus returns a corpus of the seeds in their order; broken are seeds that it leaves out.
func NewCorpus(source string, seeds []corpus.Seed, broken ...finding.BrokenSeed) *Corpus {
	return &Corpus{c: corpus.New(source, seeds, broken...)}
}

// CorpusOf returns seeds as scripts see them.
func CorpusOf(seeds *corpus.Corpus) *Corpus { return &Corpus{c: seeds} }

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
func (c *Corpus) Truth() starlark.Bool { return len(c.Seeds()) > 0 }

// Len implements starlark.Sequence.
func (c *Corpus) Len() int { return len(c.Seeds()) }

// Attr implements starlark.HasAttrs.
func (c *Corpus) Attr(name string) (starlark.Value, error) { return CorpusType.Attr(c, name) }

// Seeds returns the seeds, not to be modified.
func (c *Corpus) Seeds() []corpus.Seed { return c.c.Seeds() }

// In returns the seeds as cases of a session.
func (c *Corpus) In(s *ThreadState) workspace.Seeds { return workspace.Seeds{From: c.c, In: s} }

// SeedError returns the error of drawing a seed as scripts see it: if the targets accept no seed, the case is skipped.
func SeedError(err error) error {
	if errors.Is(err, workspace.ErrNoneTaken) {
		return &registry.Skip{Reason: err.Error()}
	}
	return err
}

func seedOf(k *workspace.AnalyzedCase, err error) (starlark.Value, error) {
	return wrapped(k, SeedError(err))
}

// Check reads every seed once and returns the facts that a campaign reports about its seeds. Seeds beyond a budget of
// bytes are counted without being read. The results are kept in a cache.
func (c *Corpus) Check(budget int64, known *memo.Cache) finding.PlannedSeeds {
	return c.c.Check(budget, known, workspace.CheckSeed)
}

// Named reads a seed again by its name, with the answers that its label states.
func (c *Corpus) Named(name string) (*testcase.Case, error) { return workspace.Named(c.c, name) }

// turnOf returns the random stream of a case and its turn in a campaign; the turn is nil outside of a campaign.
func turnOf(r *Rng) (*rng.Source, *workspace.Turn, error) {
	src, err := r.Source()
	return src, (*workspace.Turn)(r.Turn()), err
}

// Iterate implements starlark.Iterable: the seeds that can be read, in order, as cases of a session of their own.
func (c *Corpus) Iterate() starlark.Iterator {
	return &corpusIterator{seeds: c.In(workspace.NewSession())}
}

type corpusIterator struct {
	seeds workspace.Seeds
	next  int
}

func (it *corpusIterator) Next(p *starlark.Value) bool {
	k, next := it.seeds.Readable(it.next)
	it.next = next
	if k != nil {
		*p = Case{AnalyzedCase: k}
	}
	return k != nil
}

func (it *corpusIterator) Done() {}

// Filter keeps the seeds whose logic and status are wanted; nil wants any.
func (c *Corpus) Filter(logics, status []string) *Corpus {
	return &Corpus{c: c.c.Filter(logics, status)}
}

// turnArgs are the arguments of corpus.pick and corpus.next.
type turnArgs struct{ Rng *Rng }

// pairArgs are the arguments of corpus.pair.
type pairArgs struct {
	Rng  *Rng
	_    registry.KeywordOnly
	Same string `type:"\"status\" | \"logic\" | None" default:"None" doc:"the second seed has the same status or logic as the first one"`
}

// CorpusType describes the attributes and methods of corpora.
var CorpusType = registry.NewType[*Corpus]("corpus", "Seeds in a fixed order. `for seed in corpus` iterates over those that can be read; len(corpus) counts all.", []registry.Builtin{
	{Name: "pick", Doc: "A random seed, as a case. Seeds that cannot be read are skipped, counted and named in the summary.",
		Ret: "case", Example: "corpus.files(\"seeds\", status = \"sat\").pick(rng(1)).status  # -> \"sat\"",
		Do: registry.Method(func(call *registry.Call, c *Corpus, a *turnArgs) (starlark.Value, error) {
			src, err := a.Rng.Source()
			if err != nil {
				return nil, err
			}
			return seedOf(c.In(SessionOf(call.Thread)).Pick(src))
		})},
	{Name: "next", Doc: "The next seed of the campaign, as a case. Every seed is used once, in random order, before any is used again, then in another order. Outside of a campaign the seed is random. Seeds that cannot be read are replaced by random ones.",
		Ret: "case", Example: "corpus.files(\"seeds\", status = \"sat\").next(rng(1)).status  # -> \"sat\"",
		Do: registry.Method(func(call *registry.Call, c *Corpus, a *turnArgs) (starlark.Value, error) {
			src, turn, err := turnOf(a.Rng)
			if err != nil {
				return nil, err
			}
			return seedOf(c.In(SessionOf(call.Thread)).Next(turn, src))
		})},
	{Name: "pair", Doc: "The next two different seeds of the campaign, as cases. The first one is chosen as by next; every ordered pair is used once before any is used again. Outside of a campaign both are random. If the corpus has only one seed, both are that seed.",
		Ret:     "tuple[case, case]",
		Example: "a, b = corpus.files(\"seeds\").pair(rng(1))\na.name != b.name  # -> True",
		Do: registry.Method(func(call *registry.Call, c *Corpus, a *pairArgs) (starlark.Value, error) {
			src, turn, err := turnOf(a.Rng)
			if err != nil {
				return nil, err
			}
			first, second, err := c.In(SessionOf(call.Thread)).Pair(turn, src, a.Same)
			if err != nil {
				return nil, SeedError(err)
			}
			return starlark.Tuple{Case{AnalyzedCase: first}, Case{AnalyzedCase: second}}, nil
		})},
	{Name: "at", Doc: "Seed number i, from 0, as a case.",
		Ret: "case", Example: "corpus.files(\"seeds\").at(0).name  # -> \"seeds/sat.smt2\"",
		Do: registry.Method(func(c *registry.Call, k *Corpus, a *struct{ I int }) (starlark.Value, error) {
			if a.I < 0 || a.I >= len(k.Seeds()) {
				return nil, c.Errorf(&a.I, "%d is not between 0 and %d", a.I, len(k.Seeds())-1)
			}
			return wrapped(k.In(SessionOf(c.Thread)).Number(a.I))
		})},
	{Name: "names", Doc: "The names of the seeds.", Ret: "list[str]", Example: "corpus.files(\"seeds\").names  # -> [\"seeds/sat.smt2\", \"seeds/unsat.smt2\"]",
		Get: func(v starlark.Value) (starlark.Value, error) {
			var out []starlark.Value
			for _, s := range v.(*Corpus).Seeds() {
				out = append(out, starlark.String(s.Name()))
			}
			return starlark.NewList(out), nil
		}},
	{Name: "trust", Doc: "The seeds. This answer is assumed for seeds without a status (no (set-info :status …) and not in a folder sat/ or unsat/). Findings that depend on the assumption are called assumed. If a model refutes the assumption about a seed, the seed is named and not used again.",
		Ret:     "corpus",
		Example: "corpus.texts([\"(assert true)(check-sat)\"]).trust(\"sat\").at(0).status  # -> \"sat\"",
		Do: registry.Method(func(_ *registry.Call, c *Corpus, a *struct {
			Answer string `type:"\"sat\" | \"unsat\""`
		}) (starlark.Value, error) {
			answer, _ := smtlib.ParseAnswer(a.Answer)
			return &Corpus{c: c.c.Trust(answer)}, nil
		})},
	{Name: "filter", Doc: "The seeds with the given logics and statuses.",
		Ret: "corpus", Example: "len(corpus.files(\"seeds\").filter(status = \"unsat\"))  # -> 1",
		Do: registry.Method(func(_ *registry.Call, c *Corpus, a *struct {
			Logic  []string `type:"str | list[str] | None" default:"None" doc:"as in set-logic"`
			Status []string `type:"\"sat\" | \"unsat\" | \"unknown\" | None" default:"None" doc:"as in (set-info :status …); for a file without one, the name of the nearest enclosing folder called sat or unsat"`
		}) (starlark.Value, error) {
			return c.Filter(a.Logic, a.Status), nil
		})},
})
