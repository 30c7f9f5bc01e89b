// Package mutate is the Starlark module mutate: pools of formulas with known values, and techniques made of mutators.
package mutate

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
)

// Module returns the module and the type pool.
func Module() registry.Module {
	return registry.Module{
		Name: "mutate", Doc: "Building blocks of mutators: pools of formulas with known values, changes of operators, generated terms, and rounds of a mutation.",
		Types: []*registry.Type{poolType, classesType, signaturesType, value.GrammarType},
		Members: append([]registry.Builtin{
			{Name: "pool", Doc: "A pool of formulas whose truth value is known. Formulas whose value is None are left out.", Ret: "pool",
				Example: "p = smt.const(\"p\", smt.Bool)\nmutate.pool([(p, True), (smt.not_(p), False)])  # -> <pool of 2 initial and 0 constructed formulas>",
				Do:      registry.Into(newPool)},
			{Name: "valued_fragments", Doc: "The pool of a case's predicates (case.predicates) with their values in a model. It is mutate.pool([(f, smt.holds(f, model)) for f in case.predicates(max_depth)]) in one step.", Ret: "pool",
				Example: "c = smt.case(\"(declare-const x Int)(assert (and (> x 1) (< x 9)))\")\nlen(mutate.valued_fragments(c, c.read_model(\"((define-fun x () Int 7))\")))  # -> 3",
				Do:      registry.Into(valuedFragments)},
			{Name: "rounds", Doc: "The technique that picks a seed and applies a mutation to it several times. If the mutation skips, the rounds end. If it skips in the first round or changes nothing, another seed is tried, up to 20 seeds.", Ret: "callable(seeds: corpus, rng) -> case",
				Example: "t = mutate.rounds(lambda case, rng: case.replace(smt.int(1), 2), between = (1, 1))\nt(corpus.texts([\"(declare-const x Int)(assert (> x 1))(check-sat)\"]), rng(1)).formula  # -> (> x 2)",
				Do:      registry.Into(repeatMutator)},
		}, append(mutationBuiltins(), optionBuiltins()...)...),
	}
}

// roundsArgs are the arguments of mutate.rounds.
type roundsArgs struct {
	F           starlark.Callable `type:"callable(case, rng) -> case" doc:"a function of (case, rng) that returns the mutated case, or skips"`
	_           registry.KeywordOnly
	Between     starlark.Tuple `type:"tuple[int, int]" default:"(1, 8)" doc:"least and greatest number of rounds"`
	KeepsAnswer bool           `default:"False" doc:"the mutation keeps satisfiability, so the result has the seed's known answers"`
}

func repeatMutator(c *registry.Call, a *roundsArgs) (starlark.Value, error) {
	f, keeps := a.F, a.KeepsAnswer
	between := a.Between
	lo, hi := smallInt(between[0]), smallInt(between[1])
	if lo < 1 || hi < lo {
		return nil, c.Errorf(&a.Between, "(%d, %d) is no range of numbers from 1 up", lo, hi)
	}
	run := func(th *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var seeds *value.Corpus
		var r *value.Rng
		if len(kwargs) > 0 || len(args) != 2 {
			return nil, fmt.Errorf("%s: takes the seeds and an rng", b.Name())
		}
		seeds, ok1 := args[0].(*value.Corpus)
		r, ok2 := args[1].(*value.Rng)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("%s: got %s and %s, want a corpus and an rng", b.Name(), args[0].Type(), args[1].Type())
		}
		return mutateSeed(th, f, seeds, r, lo, hi, keeps)
	}
	return starlark.NewBuiltin("mutate.rounds("+f.Name()+")", run), nil
}

func smallInt(v starlark.Value) int {
	n, _ := starlark.AsInt32(v)
	return n
}

// maxSeeds bounds how many seeds are tried until the mutation applies to one.
const maxSeeds = 20

// noChange is the reason for a skip if f returns its argument unchanged.
const noChange = "the mutator changed nothing"

// mutateSeed picks a seed and applies f to it between lo and hi times. A skip ends the rounds. If nothing has changed
// by then, or if no round changes a seed, another seed is picked.
func mutateSeed(th *starlark.Thread, f starlark.Callable, seeds *value.Corpus, r *value.Rng, lo, hi int, keeps bool) (starlark.Value, error) {
	src, err := r.Source()
	if err != nil {
		return nil, err
	}
	s := value.SessionOf(th)
	var why *registry.Skip
	for range maxSeeds {
		seed, err := seeds.In(s).Pick(src)
		if err != nil {
			return nil, value.SeedError(err)
		}
		now := seed
		why = &registry.Skip{Reason: noChange}
		for range src.Range(lo, hi) {
			next, skip, err := mutateOnce(th, f, value.Case{AnalyzedCase: now}, r)
			if err != nil {
				return nil, err
			}
			if skip != nil {
				why = skip
				break
			}
			if next.ChangedFrom(now) {
				s.Step(f.Name())
				now = next
			}
		}
		if now == seed {
			continue
		}
		if keeps {
			now = now.KeepAnswers(seed)
		}
		return value.Case{AnalyzedCase: now}, nil
	}
	return nil, why
}

// mutateOnce calls f. If f skips, it returns the skip.
func mutateOnce(th *starlark.Thread, f starlark.Callable, c value.Case, r *value.Rng) (*workspace.AnalyzedCase, *registry.Skip, error) {
	v, err := registry.Invoke(th, f, c, r)
	var skip *registry.Skip
	switch {
	case errors.As(err, &skip):
		return nil, skip, nil
	case err != nil:
		return nil, nil, err
	}
	next, ok := v.(value.Case)
	if !ok {
		return nil, nil, value.NoCase(f, v)
	}
	return next.AnalyzedCase, nil, nil
}
