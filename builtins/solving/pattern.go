package solving

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// PatternValue is a triage.Pattern as scripts see it.
type PatternValue struct {
	registry.Object[*PatternValue]
	triage.Pattern
}

func (p *PatternValue) String() string { return fmt.Sprintf("<pattern %s>", p.Label) }

func (p *PatternValue) Hash() (uint32, error) { return starlark.String(p.Label).Hash() }

// Attr implements starlark.HasAttrs.
func (p *PatternValue) Attr(name string) (starlark.Value, error) { return PatternType.Attr(p, name) }

// PatternType describes the attributes of patterns.
var PatternType = registry.NewType[*PatternValue]("pattern", "A pattern of known verdicts to ignore: an element of campaign(suppress = [...]).", []registry.Builtin{
	{Name: "matches", Doc: "Whether a verdict matches the pattern: for tests of patterns.",
		Ret:     "bool",
		Example: "p = oracle.pattern(kind = \"slow\", message = \"minute\")\np.matches(smt.case(\"(check-sat)\"), oracle.bug(\"slow\", \"z3 takes a minute\"))  # -> True",
		Do: registry.Method(func(c *registry.Call, p *PatternValue, a *matchesArgs) (starlark.Value, error) {
			tc, err := localCase(c, a.Case)
			if err != nil {
				return nil, err
			}
			return starlark.Bool(p.Matches(tc, &a.Verdict.V)), nil
		})},
})

// matchesArgs are the arguments of pattern.matches.
type matchesArgs struct {
	Case    value.Case
	Verdict *VerdictValue
}
