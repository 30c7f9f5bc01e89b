package api

import (
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/ground/cells"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/solvers/rule"
)

// oneOptionArgs are the arguments of api.one_option.
type oneOptionArgs struct {
	Techniques *starlark.Dict `type:"dict[str, callable]" doc:"from the subject of an option, as in mutate.options (\"BitVec\", \"String\", \"(forall\" ...), to the technique that makes the cases for such options in every second pass; \"\": the technique for all other options"`
	_          registry.KeywordOnly
	Name       string `default:"\"one option\"" doc:"name in findings and statistics"`
}

// anySubject is the key of the technique for options that concern no theory.
const anySubject = ""

// oneOption makes the technique.
func oneOption(c *registry.Call, a *oneOptionArgs) (starlark.Value, error) {
	s := &single{callable: callable{builtin: "api.one_option", name: a.Name}, techniques: map[string]starlark.Callable{}}
	s.make = s.set
	for _, kv := range a.Techniques.Items() {
		key, _ := starlark.AsString(kv[0])
		f, ok := kv[1].(starlark.Callable)
		if !ok {
			return nil, c.Errorf(&a.Techniques, "%q: got %s, want a technique", key, kv[1].Type())
		}
		s.techniques[key], s.parts = f, append(s.parts, f)
	}
	if s.techniques[anySubject] == nil {
		return nil, c.Errorf(&a.Techniques, "say which technique options about no theory have, with the key \"\"")
	}
	return s, nil
}

// single is a technique that puts one option of the targets in front of the cases of another one.
type single struct {
	callable
	techniques map[string]starlark.Callable // by what options are about
}

// set makes a case.
func (s *single) set(th *starlark.Thread, args starlark.Tuple, r *value.Rng, src *rng.Source) (starlark.Value, error) {
	cache := value.SessionOf(th).Models
	all, err := target.Singles(registry.Context(th), solving.TargetsOf(th), cache)
	if err != nil {
		return nil, err
	}
	if all == nil || all.Table.Cells() == 0 { // such as outside of a campaign
		return s.invoke(th, s.techniques[anySubject], args...)
	}
	seed := uint64(0)
	if t := r.Turn(); t != nil {
		seed = t.Seed
	}
	number, pass := all.Turn(turnOf(r, src))
	n, asked := all.Table.Cells(), &cells.Asked{Table: &all.Table}
	avoided := solving.AvoidedOf(th)
	for {
		ok, without, err := all.Takes(registry.Context(th), number, cache)
		if err != nil {
			return nil, err
		}
		if ok {
			for _, option := range without {
				avoided = append(slices.Clip(avoided), rule.Option.Of(option))
			}
			break
		}
		if asked.Refused = append(asked.Refused, number); len(asked.Refused) == n {
			return nil, &registry.Skip{Reason: "the target takes none of the options that it declares"}
		}
		number = (number + 1) % n
	}
	row, cell := all.Table.Find(number)
	// Each setting gets a different case in each pass; every second case is about the theory that the option concerns.
	about := anySubject
	if pass%2 == 0 {
		about = s.about(all.Table.Rows[row].Name)
	}
	const apart = 7919 // the first turns of two settings
	defer solving.AvoidedKey.Set(th, solving.AvoidedOf(th))
	solving.AvoidedKey.Set(th, avoided)
	made, err := s.invoke(th, s.techniques[about], args[0], value.NewCaseRng(src.SplitString("case"), seed, uint64(number)*apart+pass))
	if err != nil {
		return nil, err
	}
	set := all.Set(number)
	for _, x := range slices.Backward(set) { // each setting is inserted before the existing ones
		made = value.Case{AnalyzedCase: made.WithSetting(x.Name, x.Value)}
	}
	asked.Cells = []cells.AskedCell{{Row: row, Cell: cell}}
	return value.Case{AnalyzedCase: made.UnderOption(asked)}, nil
}

// about returns the key of the technique for an option.
func (s *single) about(option string) string {
	for _, subject := range mutate.OptionSubjects(option) {
		if s.techniques[subject] != nil {
			return subject
		}
	}
	return anySubject
}
