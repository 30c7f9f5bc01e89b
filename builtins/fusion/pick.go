package fusion

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// catalogs holds the catalogs of the corpora that a thread has seen; the last one is used most often.
type catalogs struct {
	of map[*value.Corpus]*corpus.Index
}

var catalogKey = registry.NewKey[*catalogs]("the catalogs of seeds", "this thread has none")

// catalogOf reads the heads of all seeds once.
func catalogOf(th *starlark.Thread, seeds *value.Corpus) *corpus.Index {
	all, err := catalogKey.Get(th)
	if err != nil {
		all = &catalogs{of: map[*value.Corpus]*corpus.Index{}}
		catalogKey.Set(th, all)
	}
	if k := all.of[seeds]; k != nil {
		return k
	}
	k := corpus.NewIndex(seeds.Engine())
	if len(all.of) > 8 { // corpora made in techniques come and go
		clear(all.of)
	}
	all.of[seeds] = k
	return k
}

// pickArgs are the arguments of fusion.pick.
type pickArgs struct {
	Seeds     *value.Corpus
	Rng       *value.Rng
	N         int `default:"2"`
	_         registry.KeywordOnly
	Status    string  `type:"\"sat\" | \"unsat\" | None" default:"None" doc:"the status of every seed"`
	SameLogic float64 `type:"probability" default:"0.8" doc:"probability that all seeds have the same logic"`
	Assume    bool    `default:"False" doc:"also use seeds of unknown status"`
}

func pick(c *registry.Call, a *pickArgs) (starlark.Value, error) {
	seeds := a.Seeds
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	n, answer := a.N, a.Status
	if n < 1 || n > 64 {
		return nil, c.Errorf(&a.N, "%d is not between 1 and 64", n)
	}
	statuses := []string{answer}
	if answer == "" {
		statuses = []string{"sat", "unsat", ""}
	} else if a.Assume {
		statuses = append(statuses, "")
	}
	k := catalogOf(c.Thread, seeds)
	logic := "any"
	same := src.Chance(a.SameLogic)
	var out []starlark.Value
	for try := 0; len(out) < n; try++ {
		i := k.Draw(src.Intn, logic, statuses)
		if i < 0 || try > 50*n {
			what := "any status"
			if answer != "" {
				what = "status " + answer
			}
			return nil, &registry.Skip{Reason: "fusion: there are no seeds of " + what}
		}
		seed, err := value.SessionOf(c.Thread).Seed(seeds.Seeds()[i])
		if err != nil {
			continue // counted when the campaign checks its seeds
		}
		tc, err := seed.TestCase()
		if err != nil {
			return nil, err
		}
		// The head has the status of the first check-sat, but the last one matters.
		want, _ := smtlib.ParseAnswer(answer)
		if got := tc.ExpectAt(tc.Script.CheckSats() - 1); answer != "" && got != want && (got != smtlib.None || !a.Assume) {
			continue
		}
		if out = append(out, value.Case{AnalyzedCase: seed}); len(out) == 1 && same {
			logic = k.Logic(i)
		}
	}
	return starlark.NewList(out), nil
}
