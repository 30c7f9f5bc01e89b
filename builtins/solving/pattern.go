package solving

import (
	"fmt"
	"regexp"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
)

// Pattern says which verdicts are known and of no interest. Empty fields match everything.
type Pattern struct {
	Label          string // what they are counted by
	Kind           string
	Target         *regexp.Regexp // of the name of a target on the wrong side
	Message, Logic *regexp.Regexp
	Shape          []string // operators, all of which the case has: those of a reduced case
}

// Matches reports whether the pattern is about a verdict.
func (p *Pattern) Matches(c *testcase.Case, v *oracle.Verdict) bool {
	return (p.Kind == "" || p.Kind == v.Kind || p.Kind == oracle.KindAssumedAnswer && v.IsWrongAnswer() && oracle.IsAssumed(c, v.Want)) &&
		(p.Target == nil || slices.ContainsFunc(v.Targets, p.Target.MatchString)) &&
		(p.Message == nil || p.Message.MatchString(v.Summary) || p.Message.MatchString(v.Message)) &&
		(p.Logic == nil || p.Logic.MatchString(c.Script.Logic())) &&
		(len(p.Shape) == 0 || triage.HasShape(triage.Operators(c.Script), p.Shape))
}

func (p *Pattern) String() string { return fmt.Sprintf("<pattern %s>", p.Label) }

func (p *Pattern) Type() string { return "pattern" }

func (p *Pattern) Freeze() {}

func (p *Pattern) Truth() starlark.Bool { return true }

func (p *Pattern) Hash() (uint32, error) { return starlark.String(p.Label).Hash() }

// Attr implements starlark.HasAttrs.
func (p *Pattern) Attr(name string) (starlark.Value, error) { return PatternType.Attr(p, name) }

// AttrNames implements starlark.HasAttrs.
func (p *Pattern) AttrNames() []string { return PatternType.AttrNames() }

// PatternType describes the attributes of patterns.
var PatternType = registry.NewType("pattern", "Says which verdicts are known and of no interest: an element of campaign(suppress = [...]).", []registry.Builtin{
	{Name: "matches", Doc: "Whether the pattern is about a verdict: for tests of patterns.",
		Params: []registry.Param{{Name: "case", Type: "case"}, {Name: "verdict", Type: "verdict"}}, Ret: "bool",
		Example: "p = oracle.pattern(kind = \"slow\", message = \"minute\")\np.matches(smt.case(\"(check-sat)\"), oracle.bug(\"slow\", \"z3 takes a minute\"))  # -> True",
		Do: registry.Method(func(c *registry.Call, p *Pattern, a *matchesArgs) (starlark.Value, error) {
			tc, err := localCase(c, a.Case)
			if err != nil {
				return nil, err
			}
			return starlark.Bool(p.Matches(tc, &a.Verdict.V)), nil
		})},
})

// matchesArgs are the arguments of pattern.matches.
type matchesArgs struct {
	Case    *value.Case
	Verdict *Verdict
}
