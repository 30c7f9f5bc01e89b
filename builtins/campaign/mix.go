package campaign

import (
	"fmt"
	"path"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
)

func mixBuiltin() registry.Builtin {
	return registry.Builtin{
		Name: "mix",
		Doc:  "The technique that makes each case by one of several techniques, chosen at random by weight. The choice follows from the case's number, so cases can be made again.",
		Params: []registry.Param{
			{Name: "techniques", Type: "dict[callable, number]", Doc: "techniques with their weights"},
			{Name: "*"},
			{Name: "adapt", Type: "bool", Default: "False", Doc: "let weights follow what techniques find"},
		},
		Ret:     "callable",
		Example: "one = lambda seeds, rng: smt.case(\"(check-sat)\")\nmix({one: 3})(corpus.texts([]), rng(1)).formula  # -> true",
		Fn:      mix,
	}
}

func mix(c *registry.Call) (starlark.Value, error) {
	if c.Bool(2) {
		return nil, c.ArgErrorf(2, "weights that follow the yield are not possible in this version, since case n would no longer be the same case on every machine; give fixed weights and compare yields with `smtlark compare`")
	}
	items := c.Dict(0).Items()
	m := &mixture{}
	for _, kv := range items {
		w, _ := starlark.AsFloat(kv[1])
		if !(w >= 0) || w > 1e300 {
			return nil, c.ArgErrorf(0, "the weight of %s is %s, want a number from 0 up", kv[0].String(), kv[1].String())
		}
		if w == 0 {
			continue
		}
		m.parts = append(m.parts, kv[0].(starlark.Callable))
		m.weights = append(m.weights, w)
		m.total += w
	}
	if len(m.parts) == 0 {
		return nil, c.ArgErrorf(0, "no technique has a weight above 0")
	}
	return m, nil
}

// chosenKey is where a mixture says which technique it chose.
var chosenKey = registry.NewKey[*string]("the chosen technique", "no campaign runs here")

// mixture is a technique of techniques.
type mixture struct {
	parts   []starlark.Callable
	weights []float64
	total   float64
}

func (m *mixture) Name() string {
	var names []string
	for _, p := range m.parts {
		names = append(names, TechniqueName(p))
	}
	return "mix(" + strings.Join(names, ", ") + ")"
}
func (m *mixture) String() string        { return "<technique " + m.Name() + ">" }
func (m *mixture) Type() string          { return "function" }
func (m *mixture) Truth() starlark.Bool  { return true }
func (m *mixture) Hash() (uint32, error) { return starlark.String(m.Name()).Hash() }

func (m *mixture) Freeze() {
	for _, p := range m.parts {
		p.Freeze()
	}
}

// CallInternal implements starlark.Callable. Choosing draws from a stream of its own, so that a technique makes the same
// case from an rng whether it is mixed or not.
func (m *mixture) CallInternal(th *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
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
	at := src.SplitString("mix").Float() * m.total
	p := m.parts[len(m.parts)-1]
	for i, w := range m.weights {
		if at < w {
			p = m.parts[i]
			break
		}
		at -= w
	}
	if name, err := chosenKey.Get(th); err == nil {
		*name = TechniqueName(p)
	}
	return starlark.Call(th, p, args, nil)
}

// TechniqueName is what a technique is called in findings and statistics. Functions made by functions are often called
// "technique": they bear the name of their file.
func TechniqueName(f starlark.Callable) string {
	if fn, ok := f.(*starlark.Function); ok && (fn.Name() == "technique" || fn.Name() == "lambda") {
		return strings.TrimSuffix(path.Base(fn.Position().Filename()), ".star")
	}
	return f.Name()
}
