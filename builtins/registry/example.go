package registry

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Dialect is the Starlark that campaign files are written in: sets, recursion (terms
// are trees) and control flow at top level; no while (the tools cannot parse it) and no
// reassignment of globals.
func Dialect() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, Recursion: true, TopLevelControl: true}
}

// RunExample executes the example of an entry on th with the predeclared names env and
// the modules of th.Load. Besides running without an error, two notations are checked,
// both at the end of a line that holds one expression:
//
//	EXPR  # -> TEXT      the value prints as TEXT
//	EXPR  # error: TEXT  the evaluation fails with a message that contains TEXT
func RunExample(b *Builtin, th *starlark.Thread, env starlark.StringDict) error {
	src, err := rewriteExample(b.Example)
	if err != nil {
		return fmt.Errorf("example of %s: %w", b.FullName(), err)
	}
	all := starlark.StringDict{
		"_example_prints": starlark.NewBuiltin("_example_prints", examplePrints),
		"_example_fails":  starlark.NewBuiltin("_example_fails", exampleFails),
	}
	for k, v := range env {
		all[k] = v
	}
	if _, err := starlark.ExecFileOptions(Dialect(), th, b.FullName(), src, all); err != nil {
		return fmt.Errorf("example of %s: %w", b.FullName(), err)
	}
	return nil
}

// rewriteExample turns the checked lines into calls of the checking functions, keeping
// line numbers.
func rewriteExample(src string) (string, error) {
	lines := strings.Split(strings.TrimSpace(src), "\n")
	for i, line := range lines {
		for _, n := range []struct{ mark, fn string }{{"# -> ", "_example_prints"}, {"# error: ", "_example_fails"}} {
			expr, want, found := strings.Cut(line, n.mark)
			if !found {
				continue
			}
			body := strings.TrimLeft(expr, " ")
			if _, err := Dialect().ParseExpr("example", body, 0); err != nil {
				return "", fmt.Errorf("line %d: %q needs an expression before it: %w", i+1, n.mark, err)
			}
			indent := expr[:len(expr)-len(body)]
			lines[i] = fmt.Sprintf("%s%s(lambda: (%s), %s)", indent, n.fn,
				strings.TrimSpace(body), starlark.String(strings.TrimSpace(want)).String())
		}
	}
	return strings.Join(lines, "\n") + "\n", nil
}

func examplePrints(th *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	v, err := starlark.Call(th, args[0], nil, nil)
	if err != nil {
		return nil, err
	}
	if want := string(args[1].(starlark.String)); v.String() != want {
		return nil, fmt.Errorf("%s: the value is %s, not %s", th.CallFrame(1).Pos, v.String(), want)
	}
	return starlark.None, nil
}

func exampleFails(th *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	want := string(args[1].(starlark.String))
	v, err := starlark.Call(th, args[0], nil, nil)
	if err == nil {
		return nil, fmt.Errorf("%s: the value is %s, want an error with %q", th.CallFrame(1).Pos, v.String(), want)
	}
	if !strings.Contains(err.Error(), want) {
		return nil, fmt.Errorf("%s: the error is %q, want one with %q", th.CallFrame(1).Pos, err.Error(), want)
	}
	return starlark.None, nil
}
