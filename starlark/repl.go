package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
)

// ErrInterrupt is returned by the ReadLine of a REPL when the user gave up the line.
var ErrInterrupt = errors.New("interrupted")

// REPL reads, evaluates and prints until the input ends.
type REPL struct {
	In *Interpreter
	// Globals are the names defined so far, usually those of a loaded file.
	Globals starlark.StringDict
	// ReadLine returns the next line without its newline, io.EOF or ErrInterrupt.
	ReadLine func(prompt string) (string, error)
	// Context returns the context of the next evaluation, so that an interrupt ends it
	// and not the REPL. Nil means the context of Run.
	Context func(parent context.Context) (context.Context, context.CancelFunc)
	Out     io.Writer
	Errors  io.Writer

	inputs map[string][]byte // the inputs read so far, by their names in messages
	scope  starlark.StringDict
}

// Run loops until ReadLine returns io.EOF (then nil) or another error.
func (r *REPL) Run(ctx context.Context) error {
	opts := registry.Dialect()
	opts.GlobalReassign = true // a REPL must allow x = 1 followed by x = 2
	opts.LoadBindsGlobally = true
	t := r.In.NewThread(Test, "<stdin>")
	defer t.Close()
	t.th.Load = func(_ *starlark.Thread, name string) (starlark.StringDict, error) {
		return r.In.loadModule(t.ctx, module{path: "x.star"}, name)
	}
	r.scope = maps.Clone(r.In.src.predeclared)
	maps.Copy(r.scope, r.Globals)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := r.handleInput(ctx, opts, t)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, ErrInterrupt):
			continue
		case err != nil:
			return err
		}
	}
}

// handleInput handles one statement or expression; its error is the input's.
func (r *REPL) handleInput(ctx context.Context, opts *syntax.FileOptions, t *Thread) error {
	var text bytes.Buffer
	var inputErr error
	prompt := ">>> "
	if r.inputs == nil {
		r.inputs = map[string][]byte{}
	}
	name := fmt.Sprintf("<input %d>", len(r.inputs)+1)
	// Functions that are defined here can fail in later inputs, and the error shows their lines.
	defer func() { r.inputs[name] = text.Bytes() }()
	f, err := opts.ParseCompoundStmt(name, func() ([]byte, error) {
		line, err := r.ReadLine(prompt)
		prompt = "... "
		if err != nil {
			inputErr = err
			return nil, err
		}
		text.WriteString(line + "\n")
		return []byte(line + "\n"), nil
	})
	if inputErr != nil && (err != nil || !errors.Is(inputErr, io.EOF)) {
		if text.Len() > 0 && errors.Is(inputErr, io.EOF) {
			r.printError(err, name, text.Bytes())
		}
		return inputErr
	}
	if err != nil {
		r.printError(err, name, text.Bytes())
		return nil
	}
	// A context for each input: what interrupts one must not end the session.
	if r.Context != nil {
		var cancel context.CancelFunc
		ctx, cancel = r.Context(ctx)
		defer cancel()
	}
	v, err := t.evalChunk(ctx, f, r.scope)
	if err != nil {
		r.printError(err, name, text.Bytes())
		return nil
	}
	if v != nil && v != starlark.None {
		r.scope["_"] = v
		fmt.Fprintln(r.Out, v.String())
	}
	return nil
}

// evalChunk runs a parsed chunk and returns the value of a sole expression.
func (t *Thread) evalChunk(ctx context.Context, f *syntax.File, globals starlark.StringDict) (v starlark.Value, err error) {
	if err := t.beginCall(ctx); err != nil {
		return nil, err
	}
	defer t.endCall()
	defer t.recoverTo(&err)
	guardFile(f)
	if len(f.Stmts) == 1 {
		if stmt, ok := f.Stmts[0].(*syntax.ExprStmt); ok {
			v, err = starlark.EvalExprOptions(f.Options, t.th, stmt.X, globals)
			return v, t.cancelReason(err)
		}
	}
	return nil, t.cancelReason(starlark.ExecREPLChunk(f, t.th, globals))
}

// printError prints an error with the lines of the inputs it came through.
func (r *REPL) printError(err error, name string, text []byte) {
	r.inputs[name] = text
	e := r.In.newError(err)
	for i := range e.Frames {
		f := &e.Frames[i]
		text, ok := r.inputs[f.Pos.Filename()]
		if lines := strings.Split(string(text), "\n"); ok && f.Pos.Line > 0 && int(f.Pos.Line) <= len(lines) {
			f.Source = lines[f.Pos.Line-1]
		}
	}
	fmt.Fprintln(r.Errors, e.Error())
}

// Complete returns the names that can continue the text before the cursor: names in
// scope, or members after a dot.
func (r *REPL) Complete(before string) (completions []string, length int) {
	start := strings.LastIndexFunc(before, func(c rune) bool {
		return c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) + 1
	word := before[start:]
	owner, prefix, dotted := "", word, false
	if i := strings.LastIndexByte(word, '.'); i >= 0 {
		owner, prefix, dotted = word[:i], word[i+1:], true
	}
	var names []string
	if dotted {
		if h, ok := r.scope[owner].(starlark.HasAttrs); ok {
			names = h.AttrNames()
		}
	} else {
		names = append(r.scope.Keys(), starlark.Universe.Keys()...)
		names = slices.DeleteFunc(names, func(n string) bool { return guards.Has(n) || checks.Has(n) })
	}
	for _, n := range names {
		if strings.HasPrefix(n, prefix) {
			completions = append(completions, n[len(prefix):])
		}
	}
	slices.Sort(completions)
	return slices.Compact(completions), len(prefix)
}
