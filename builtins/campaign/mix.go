package campaign

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

func mixBuiltin() registry.Builtin {
	return registry.Builtin{
		Name:    "mix",
		Doc:     "A technique that makes each case with one of several techniques, chosen at random by weight. The number of the case determines the choice, so cases can be made again. Each technique goes through the seeds as it would alone: corpus.next and corpus.pair give it every seed once before any seed again.",
		Ret:     "callable(seeds: corpus, rng) -> case",
		Example: "one = lambda seeds, rng: smt.case(\"(check-sat)\")\nmix({one: 3})(corpus.texts([]), rng(1)).formula  # -> true",
		Do:      registry.Into(mix),
	}
}

// mixArgs are the arguments of mix.
type mixArgs struct {
	Techniques *starlark.Dict `type:"dict[callable(seeds: corpus, rng) -> case, number]" doc:"techniques with their weights"`
	_          registry.KeywordOnly
	Later      *starlark.Dict `type:"dict[callable(seeds: corpus, rng) -> case, number]" default:"{}" doc:"with adapt: techniques that are used from case 960 on, such as those that ask solvers for models of seeds; fast techniques come first"`
	Adapt      bool           `default:"False" doc:"adapt the weights to what the techniques find: new verdicts, and cases of new shapes. Weights change from epoch to epoch of case numbers, the same way with any number of workers; a case is replayed with its weights, see docs/techniques.md"`
}

func mix(c *registry.Call, a *mixArgs) (starlark.Value, error) {
	now, later := a.Techniques.Items(), a.Later.Items()
	m := &mixed{adapt: a.Adapt}
	if len(later) > 0 && !m.adapt {
		return nil, c.Errorf(&a.Later, "weights that change need adapt = True")
	}
	for i, kv := range slices.Concat(now, later) {
		w, _ := starlark.AsFloat(kv[1])
		if !(w >= 0) || w > 1e300 {
			return nil, c.Errorf(&a.Techniques, "the weight of %s is %s, want a number from 0 up", kv[0].String(), kv[1].String())
		}
		if w == 0 {
			continue
		}
		part := kv[0].(starlark.Callable)
		m.parts = append(m.parts, part)
		m.named = append(m.named, finding.Part{Name: techniqueName(part), Weight: w, Later: i >= len(now)})
	}
	if len(m.parts) == 0 {
		return nil, c.Errorf(&a.Techniques, "no technique has a weight above 0")
	}
	if err := sameNames(m); err != nil {
		return nil, err
	}
	m.name = finding.MixtureName(m.named)
	mixture.Name(m.named)
	return m, nil
}

// weightsKey holds the current weights of the parts of an adaptive mixture, as the campaign sets them.
var weightsKey = registry.NewKey[*[]uint32]("the weights of techniques", "no campaign runs here")

// chosenKey holds the name of the technique that a mixture chose.
var chosenKey = registry.NewKey[*string]("the chosen technique", "no campaign runs here")

// mixed is a technique of techniques.
type mixed struct {
	name  string
	adapt bool
	parts []starlark.Callable
	named []finding.Part // the same, with their weights
}

func (m *mixed) Name() string          { return m.name }
func (m *mixed) String() string        { return "<technique " + m.Name() + ">" }
func (m *mixed) Type() string          { return "function" }
func (m *mixed) Truth() starlark.Bool  { return true }
func (m *mixed) Hash() (uint32, error) { return starlark.String(m.Name()).Hash() }

func (m *mixed) Freeze() {
	for _, p := range m.parts {
		p.Freeze()
	}
}

// CallInternal implements starlark.Callable. Choosing draws nothing from the stream, so that a technique makes the same
// case from an rng whether it is mixed or not. In a campaign each part has its own turns: it uses the seeds in its own
// order, as it would alone.
func (m *mixed) CallInternal(th *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 2 || len(kwargs) > 0 {
		return nil, fmt.Errorf("mix: a technique takes (seeds, rng)")
	}
	r, ok := args[1].(*value.Rng)
	if !ok {
		return nil, fmt.Errorf("mix: got %s, want an rng", args[1].Type())
	}
	src, err := r.Source()
	if err != nil {
		return nil, err
	}
	i := 0
	if t := r.Turn(); t != nil {
		var turn uint64
		var given []uint32
		if p, err := weightsKey.Get(th); err == nil {
			given = *p
		}
		i, turn = mixture.PartOf(m.named, m.adapt, given, t.Seed, t.Number)
		r = value.NewCaseRng(src, rng.New(t.Seed).SplitString("part").SplitSeed(uint64(i)), turn)
	} else {
		i = mixture.PartAt(m.named, src.SplitString("mix").SplitString(m.name).Float())
	}
	if name, err := chosenKey.Get(th); err == nil {
		*name = m.named[i].Name
	}
	return registry.Invoke(th, m.parts[i], args[0], r)
}

// techniqueName returns the name of a technique in findings and statistics. Functions made by functions are often
// called "technique": they bear the name of their file.
func techniqueName(f starlark.Callable) string {
	if fn, ok := f.(*starlark.Function); ok && (fn.Name() == "technique" || fn.Name() == "lambda") {
		return strings.TrimSuffix(path.Base(fn.Position().Filename()), ".star")
	}
	return f.Name()
}
