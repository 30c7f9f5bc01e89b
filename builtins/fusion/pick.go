package fusion

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/random"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/corpus"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// catalog knows logic and status of the seeds of a corpus.
type catalog struct {
	logic, status []string
	fit           map[[2]string][]int // by logic ("" any) and status: numbers of seeds
}

// catalogs are those of the corpora that a thread has seen; the last one is most often asked for.
type catalogs struct {
	of map[*value.Corpus]*catalog
}

var catalogKey = registry.NewKey[*catalogs]("the catalogs of seeds", "this thread has none")

// catalogOf reads the heads of all seeds once.
func catalogOf(th *starlark.Thread, seeds *value.Corpus) *catalog {
	all, err := catalogKey.Get(th)
	if err != nil {
		all = &catalogs{of: map[*value.Corpus]*catalog{}}
		catalogKey.Set(th, all)
	}
	if k := all.of[seeds]; k != nil {
		return k
	}
	k := &catalog{fit: map[[2]string][]int{}}
	for i, src := range seeds.Seeds() {
		text, err := src.Read()
		logic, status := "", "broken"
		if err == nil {
			if logic, status = corpus.Info(src, text); status != "sat" && status != "unsat" {
				status = ""
			}
		}
		k.logic, k.status = append(k.logic, logic), append(k.status, status)
		if status == "broken" {
			continue
		}
		for _, l := range []string{"any", logic} {
			k.fit[[2]string{l, status}] = append(k.fit[[2]string{l, status}], i)
		}
	}
	if len(all.of) > 8 { // corpora made in techniques come and go
		clear(all.of)
	}
	all.of[seeds] = k
	return k
}

// draw returns the number of a seed with the logic ("any" for any) and one of the statuses; -1 if there is none.
func (k *catalog) draw(intn func(int) int, logic string, statuses []string) int {
	n := 0
	for _, s := range statuses {
		n += len(k.fit[[2]string{logic, s}])
	}
	if n == 0 {
		return -1
	}
	i := intn(n)
	for _, s := range statuses {
		list := k.fit[[2]string{logic, s}]
		if i < len(list) {
			return list[i]
		}
		i -= len(list)
	}
	return -1
}

// pickArgs are the arguments of fusion.pick.
type pickArgs struct {
	Seeds     *value.Corpus
	Rng       *random.Rng
	N         int
	Status    string
	SameLogic float64
	Assume    bool
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
		i := k.draw(src.Intn, logic, statuses)
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
		// The head tells the status of the first check-sat; what counts is the last one.
		want, _ := smtlib.ParseAnswer(answer)
		if got := tc.ExpectAt(tc.Script.CheckSats() - 1); answer != "" && got != want && (got != smtlib.None || !a.Assume) {
			continue
		}
		if out = append(out, value.Case{Case: seed}); len(out) == 1 && same {
			logic = k.logic[i]
		}
	}
	return starlark.NewList(out), nil
}
