// Package lint formats campaign files and finds mistakes in them without running them.
// Formatting and the general checks are those of bazelbuild/buildtools with everything
// about Bazel off; the checks of names, attributes and arguments know the registry of
// builtins.
package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bazelbuild/buildtools/build"
	"github.com/bazelbuild/buildtools/warn"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	language "github.com/smtlark/smtlark/starlark"
)

// lintFinding is one remark about a file.
type lintFinding struct {
	File      string
	Line, Col int
	Rule      string // "unused-variable"
	Msg       string
}

// String is "file:line:col: rule: message".
func (f lintFinding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", f.File, f.Line, f.Col, f.Rule, f.Msg)
}

// Rules are the checks of buildtools that make sense here, sorted. Ours are added to the
// result under the names "syntax", "undefined-name", "unknown-attribute", "unknown-operator", "unused-result",
// "wrong-call", "wrong-condition", "wrong-function" and "wrong-operator".
var Rules = []string{
	"confusing-name", "dict-concatenation", "dict-method-named-arg", "keyword-positional-params", "list-append", "load", "no-effect",
	"return-value", "string-iteration", "uninitialized", "unreachable", "unused-variable",
}

// Format returns the file in the one format of campaign files.
func Format(name string, src []byte) ([]byte, error) {
	f, err := build.ParseDefault(name, src)
	if err != nil {
		return nil, err
	}
	out := build.FormatWithoutRewriting(f)
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	return out, nil
}

// Check returns the error in a file, by line.
func Check(name string, src []byte, reg *registry.Registry, libraries []registry.Library) []lintFinding {
	tree, err := registry.Dialect().Parse(name, src, syntax.RetainComments)
	if err != nil {
		se, ok := err.(syntax.Error)
		if !ok {
			se.Msg = err.Error()
		}
		se = language.AtLineEnd(string(src), se)
		return []lintFinding{findingAt(name, se.Pos, "syntax", language.GrammarMessage(string(src), se))}
	}
	findings := buildtoolsFindings(name, src)
	if err := resolve.File(tree, reg.Predeclared().Has, starlark.Universe.Has); err != nil {
		errs, ok := err.(resolve.ErrorList)
		if !ok {
			return append(findings, lintFinding{File: name, Line: 1, Col: 1, Rule: "syntax", Msg: err.Error()})
		}
		for _, e := range errs {
			findings = append(findings, unresolvedName(name, e, reg))
		}
	}
	findings = append(findings, checkCalls(name, tree, reg)...)
	more, roles := checkTypes(name, tree, reg, libraries)
	findings = withoutGivenParameters(append(findings, more...), tree, roles)
	findings = slices.DeleteFunc(findings, func(f lintFinding) bool { return isSilenced(src, f) })
	slices.SortStableFunc(findings, func(a, b lintFinding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Rule, b.Rule))
	})
	return findings
}

// withoutGivenParameters leaves out that a parameter is unused where whoever calls the function gives it, and that an
// oracle returns nothing on some paths: it has nothing to say then.
func withoutGivenParameters(findings []lintFinding, tree *syntax.File, roles map[syntax.Node]*registry.FuncType) []lintFinding {
	given := map[[2]int32]bool{}  // places of parameters, and whether a builtin gives them
	silent := map[[2]int32]bool{} // functions that may return nothing: oracles
	syntax.Walk(tree, func(n syntax.Node) bool {
		var params []syntax.Expr
		switch n := n.(type) {
		case *syntax.DefStmt:
			params = n.Params
			judges := slices.ContainsFunc(params, func(p syntax.Expr) bool { id, ok := p.(*syntax.Ident); return ok && id.Name == "runs" })
			if role := roles[n]; role != nil {
				judges = slices.ContainsFunc(role.Result.Union, func(u *registry.TypeExpr) bool { return u.Name == "None" })
			}
			silent[[2]int32{n.Def.Line, n.Def.Col}] = judges
		case *syntax.LambdaExpr:
			params = n.Params
		}
		for _, p := range params {
			start, _ := p.Span()
			id, ok := p.(*syntax.Ident)
			given[[2]int32{start.Line, start.Col}] = roles[n] != nil || ok && conventional[id.Name] != ""
		}
		return true
	})
	return slices.DeleteFunc(findings, func(f lintFinding) bool {
		at := [2]int32{int32(f.Line), int32(f.Col)}
		return f.Rule == "unused-variable" && given[at] || f.Rule == "return-value" && silent[at]
	})
}

// unresolvedName is an error of name resolution as a finding.
func unresolvedName(file string, e resolve.Error, reg *registry.Registry) lintFinding {
	name, undefined := strings.CutPrefix(e.Msg, "undefined: ")
	if !undefined {
		return findingAt(file, e.Pos, "syntax", e.Msg)
	}
	if !strings.Contains(name, " ") { // no hint yet
		if hint := spelling.Nearest(name, append(reg.Predeclared().Keys(), starlark.Universe.Keys()...)); hint != "" {
			name += fmt.Sprintf(" (did you mean %s?)", hint)
		}
	}
	return findingAt(file, e.Pos, "undefined-name", "undefined: "+name)
}

// isSilenced reports whether the finding's line has a comment "# lint: ignore" or
// "# lint: ignore RULE".
func isSilenced(src []byte, f lintFinding) bool {
	lines := strings.Split(string(src), "\n")
	if f.Line < 1 || f.Line > len(lines) {
		return false
	}
	_, rule, ok := strings.Cut(lines[f.Line-1], "# lint: ignore")
	fields := strings.Fields(rule)
	return ok && (len(fields) == 0 || slices.Contains(fields, f.Rule))
}

// buildtoolsFindings runs the checks of buildtools.
func buildtoolsFindings(name string, src []byte) (findings []lintFinding) {
	f, err := build.ParseDefault(name, src)
	if err != nil {
		return []lintFinding{{File: name, Line: 1, Col: 1, Rule: "syntax", Msg: "the formatter cannot read this file: " + err.Error()}}
	}
	f.Type = build.TypeDefault
	for _, w := range warn.FileWarnings(f, Rules, nil, warn.ModeWarn, nil) {
		msg, _, _ := strings.Cut(strings.TrimSpace(w.Message), "\n")
		findings = append(findings, lintFinding{name, w.Start.Line, w.Start.LineRune, w.Category, msg})
	}
	return findings
}

func findingAt(name string, pos syntax.Position, rule, msg string) lintFinding {
	return lintFinding{name, int(max(1, pos.Line)), int(max(1, pos.Col)), rule, msg}
}

// checkCalls checks attributes of modules and arguments of builtins where both are plain in
// the text.
func checkCalls(name string, tree *syntax.File, reg *registry.Registry) (findings []lintFinding) {
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DotExpr:
			module := predeclaredName(n.X)
			if names := reg.Members(module); names != nil && !slices.Contains(names, n.Name.Name) {
				msg := (&registry.NoAttrError{Type: "module " + module, Name: n.Name.Name, Hint: spelling.Nearest(n.Name.Name, names)}).Error()
				findings = append(findings, findingAt(name, n.Dot, "unknown-attribute", msg))
			}
		case *syntax.CallExpr:
			b := reg.Lookup(calleeName(n.Fn))
			if b == nil || !b.IsCall() {
				return true
			}
			if msg := wrongCall(b, n); msg != "" {
				findings = append(findings, findingAt(name, n.Lparen, "wrong-call", b.FullName()+": "+msg))
			}
		}
		return true
	})
	return findings
}

// calleeName is the full name of the builtin that an expression surely means, or "".
func calleeName(e syntax.Expr) string {
	if dot, ok := e.(*syntax.DotExpr); ok {
		if m := predeclaredName(dot.X); m != "" {
			return m + "." + dot.Name.Name
		}
		return ""
	}
	return predeclaredName(e)
}

// predeclaredName returns the name of an identifier that is bound to a predeclared value.
func predeclaredName(e syntax.Expr) string {
	id, ok := e.(*syntax.Ident)
	if !ok {
		return ""
	}
	if b, ok := id.Binding.(*resolve.Binding); ok && b.Scope == resolve.Predeclared {
		return id.Name
	}
	return ""
}

// wrongCall compares the arguments of a call with the parameters of its builtin.
func wrongCall(b *registry.Builtin, call *syntax.CallExpr) string {
	var names []string
	positional := 0
	for _, arg := range call.Args {
		switch a := arg.(type) {
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				return "" // anything may be in there
			}
			positional++
		case *syntax.BinaryExpr:
			if id, ok := a.X.(*syntax.Ident); ok && a.Op == syntax.EQ {
				names = append(names, id.Name)
				continue
			}
			positional++
		default:
			positional++
		}
	}
	return b.CheckShape(positional, names)
}
