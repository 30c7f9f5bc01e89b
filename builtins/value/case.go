package value

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/generate/derive"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// Case is a workspace.AnalyzedCase in a script: a seed, or the product of a technique. Two Cases are equal if the cases
// that they wrap are the same.
type Case struct {
	registry.Object[Case]
	*workspace.AnalyzedCase
}

func (c Case) String() string { return c.AnalyzedCase.String() }

// NewCase wraps a case whose script lives in the store's arena.
func NewCase(st *TermStore, tc *testcase.Case) Case {
	return Case{AnalyzedCase: workspace.NewCase(st, tc)}
}

// ParseCase reads a script into an arena of its own. The script's :status becomes the known answers.
func ParseCase(name string, src []byte) (Case, error) {
	c, err := workspace.ParseCase(name, src)
	return Case{AnalyzedCase: c}, err
}

// wrapped returns a case as scripts see it, or the error.
func wrapped(c *workspace.AnalyzedCase, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return Case{AnalyzedCase: c}, nil
}

// LocalOf returns a case that a thread may build on.
func LocalOf(th *starlark.Thread, c Case) (Case, error) {
	local, err := SessionOf(th).Local(c.AnalyzedCase)
	return Case{AnalyzedCase: local}, err
}

func (c Case) over(p *derive.Preamble, tc *testcase.Case) Case {
	return Case{AnalyzedCase: c.Over(p, tc)}
}

// NoCase is the error for a function that returned something other than a case.
func NoCase(f starlark.Callable, v starlark.Value) error {
	hint := ""
	switch v.(type) {
	case starlark.NoneType:
		hint = `to make no case, say why: return skip("no ite")`
	case Term, starlark.Tuple, *starlark.List:
		hint = "terms become a case by case.with_asserts([...])"
	case starlark.String:
		hint = "the case that a text stands for is smt.case(text)"
	case *Corpus:
		hint = "a technique is given the seeds; a function of (case, rng) is a mutator: technique = mutate.rounds(f)"
	}
	return registry.WrongResult(f, v, "a case", hint)
}

// Freeze implements starlark.Value.
func (c Case) Freeze() { c.Store().Freeze() }

// Attr implements starlark.HasAttrs.
func (c Case) Attr(name string) (starlark.Value, error) { return CaseType.Attr(c, name) }
