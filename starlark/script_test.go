package script_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"golang.org/x/tools/txtar"

	"github.com/smtlark/smtlark/builtins/core"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/internal/leaktest"
	script "github.com/smtlark/smtlark/starlark"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// testStd is a small library with one faulty module.
var testStd = fstest.MapFS{
	"storm.star":    {Data: []byte("def storm(x = 1):\n    return x * 2\n")},
	"uses.star":     {Data: []byte("load(\"//storm.star\", \"storm\")\nload(\"sub/deep.star\", \"deep\")\ntwo = storm(1)\n")},
	"sub/deep.star": {Data: []byte("load(\"../storm.star\", \"storm\")\ndeep = storm(5)\n")},
	"escape.star":   {Data: []byte("load(\"//../secret.star\", \"x\")\n")},
}

// crash is a builtin with a mistake in it.
func crashModule() registry.Module {
	return registry.Module{Members: []registry.Builtin{{Name: "crash", Doc: "Panics.", Fn: func(*registry.Call) (starlark.Value, error) {
		var p *starlark.List
		return p.Index(3), nil
	}}}}
}

func newRegistry(t testing.TB) *registry.Registry {
	t.Helper()
	reg, err := registry.New(append(script.Modules(), crashModule())...)
	require.NoError(t, err)
	return reg
}

func setup(kind script.ThreadKind, th *starlark.Thread) {
	if kind == script.Test {
		core.TestKey.Set(th, true)
	}
}

// newInterp makes an interpreter over a folder, which becomes the working directory.
func newInterp(t testing.TB, dir string, budget script.Budget) (*script.Interpreter, *strings.Builder) {
	t.Helper()
	t.Chdir(dir)
	out := &strings.Builder{}
	src := script.NewSources(newRegistry(t), testStd, dir)
	return script.New(src, script.InterpreterOptions{Setup: setup, Budget: budget, Print: func(msg string) { out.WriteString(msg + "\n") }}), out
}

// writeFiles fills a new folder.
func writeFiles(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// TestGolden runs testdata/*.txtar: main.star is executed, then its function main if
// there is one, and what it prints and how it fails is compared with the file
// "want". UPDATE=1 rewrites the expectations.
func TestGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		abs, err := filepath.Abs(name)
		require.NoError(t, err)
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(abs)
			require.NoError(t, err)
			files := map[string]string{}
			want := -1
			for i, f := range ar.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				files[f.Name] = string(f.Data)
			}
			require.GreaterOrEqual(t, want, 0, "no want section")
			got := runMain(t, writeFiles(t, files))
			if os.Getenv("UPDATE") != "" {
				ar.Files[want].Data = []byte(got)
				require.NoError(t, os.WriteFile(abs, txtar.Format(ar), 0o644))
				return
			}
			require.Equal(t, string(ar.Files[want].Data), got)
		})
	}
}

func runMain(t *testing.T, dir string) string {
	in, out := newInterp(t, dir, script.Budget{Steps: 1 << 22, Wall: script.DefaultBudget.Wall, Heap: script.DefaultBudget.Heap})
	globals, err := in.Exec(t.Context(), script.Campaign, "main.star")
	if err == nil && globals["main"] != nil {
		th := in.NewThread(script.Case, "main")
		defer th.Close()
		_, err = th.Call(t.Context(), globals["main"].(starlark.Callable), nil, nil)
	}
	if err != nil {
		msg := err.Error()
		if i := strings.Index(msg, "\ngoroutine "); i >= 0 {
			msg = msg[:i] + "\n(Go stack)"
		}
		out.WriteString(msg + "\n")
	}
	return out.String()
}

// Of a line of megabytes the part around the mistake is shown, and what is wrong with it.
func TestLongLine(t *testing.T) {
	dir := writeFiles(t, map[string]string{"main.star": "x = 1\ny = " + strings.Repeat("x + ", 700_000) + "x x" + strings.Repeat(" + x", 10_000) + "\n"})
	in, _ := newInterp(t, dir, script.Budget{})
	_, err := in.Exec(t.Context(), script.Campaign, "main.star")
	require.ErrorContains(t, err, "Error: got identifier, want newline")
	require.ErrorContains(t, err, "main.star:2:2800008\n    ...  x + x")
	require.Less(t, len(err.Error()), 1000)
	require.Regexp(t, `\n +\^\n`, err.Error())
}

func TestCallBudgets(t *testing.T) {
	dir := writeFiles(t, map[string]string{"main.star": `
def spin():
    for _ in range(1 << 40):
        pass

def grow():
    x = [0] * 1000
    for _ in range(1 << 40):
        if len(x) < 4000000:
            x = x + x

def fine(n):
    return n + 1
`})
	// The budget is one of the process: what other tests of it keep, such as the book of laws, counts.
	runtime.GC()
	var kept runtime.MemStats
	runtime.ReadMemStats(&kept)
	heap := kept.HeapAlloc + 32<<20
	in, _ := newInterp(t, dir, script.Budget{Steps: 5_000_000, Wall: script.DefaultBudget.Wall, Heap: heap})
	globals, err := in.Exec(t.Context(), script.Campaign, "main.star")
	require.NoError(t, err)
	th := in.NewThread(script.Case, "t")
	defer th.Close()
	call := func(ctx context.Context, fn string, args ...starlark.Value) (starlark.Value, error) {
		return th.Call(ctx, globals[fn].(starlark.Callable), args, nil)
	}
	for range 3 { // each call has a budget of its own, and the thread lives on
		_, err = call(t.Context(), "spin")
		var budget *script.BudgetError
		require.ErrorAs(t, err, &budget)
		require.ErrorContains(t, err, "main.star:3:5: in spin\n    for _ in range(1 << 40):\nError: this call used up its budget of 5 million steps")
		v, err := call(t.Context(), "fine", starlark.MakeInt(1))
		require.NoError(t, err)
		require.Equal(t, "2", v.String())
	}
	// Memory is looked at from time to time: on a busy machine that may be after any number of steps.
	patient, _ := newInterp(t, dir, script.Budget{Steps: 1 << 50, Wall: time.Hour, Heap: heap})
	roomy, err := patient.Exec(t.Context(), script.Campaign, "main.star")
	require.NoError(t, err)
	grower := patient.NewThread(script.Case, "t")
	defer grower.Close()
	_, err = grower.Call(t.Context(), roomy["grow"].(starlark.Callable), nil, nil)
	require.ErrorContains(t, err, fmt.Sprintf("this call used up its budget of %d MB of memory", heap>>20))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = call(ctx, "fine", starlark.MakeInt(1))
	require.ErrorIs(t, err, context.Canceled)
	v, err := call(t.Context(), "fine", starlark.MakeInt(7))
	require.NoError(t, err)
	require.Equal(t, "8", v.String())
}

// The place of a call that computes for long is told once, before its budget ends it.
func TestThePlaceOfALongCallIsTold(t *testing.T) {
	dir := writeFiles(t, map[string]string{"main.star": "def spin():\n    for _ in range(1 << 40):\n        pass\n"})
	t.Chdir(dir)
	var told []string
	in := script.New(script.NewSources(newRegistry(t), testStd, dir), script.InterpreterOptions{
		Setup:  setup,
		Budget: script.Budget{Steps: 2_000_000, Wall: time.Hour, Heap: 1 << 40},
		At:     func(place string) { told = append(told, place) },
	})
	globals, err := in.Exec(t.Context(), script.Campaign, "main.star")
	require.NoError(t, err)
	th := in.NewThread(script.Case, "t")
	defer th.Close()
	_, err = th.Call(t.Context(), globals["spin"].(starlark.Callable), nil, nil)
	require.ErrorContains(t, err, "used up its budget of 2 million steps")
	require.Equal(t, []string{"spin (main.star:2:5)"}, told)
}

func TestCancelRunningCall(t *testing.T) {
	dir := writeFiles(t, map[string]string{"main.star": "def spin():\n    for _ in range(1 << 40):\n        hit()\n"})
	t.Chdir(dir)
	ctx, cancel := context.WithCancel(t.Context())
	hit := registry.Module{Members: []registry.Builtin{{Name: "hit", Doc: "Cancels.", Fn: func(*registry.Call) (starlark.Value, error) {
		cancel()
		return nil, nil
	}}}}
	reg, err := registry.New(hit)
	require.NoError(t, err)
	in := script.New(script.NewSources(reg, testStd, dir), script.InterpreterOptions{})
	globals, err := in.Exec(ctx, script.Campaign, "main.star")
	require.NoError(t, err)
	th := in.NewThread(script.Case, "t")
	defer th.Close()
	_, err = th.Call(ctx, globals["spin"].(starlark.Callable), nil, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "in spin")
	require.ErrorContains(t, err, "Error: stopped")
}

func TestSignals(t *testing.T) {
	dir := writeFiles(t, map[string]string{"main.star": `
def no():
    return skip("no ite")

def deep():
    return sorted([1], key = lambda _: no())

def bad():
    expect(1 > 2, "order")
`})
	in, _ := newInterp(t, dir, script.Budget{})
	globals, err := in.Exec(t.Context(), script.Campaign, "main.star")
	require.NoError(t, err)
	th := in.NewThread(script.Case, "t")
	defer th.Close()
	for _, fn := range []string{"no", "deep"} {
		_, err = th.Call(t.Context(), globals[fn].(starlark.Callable), nil, nil)
		require.Equal(t, &registry.Skip{Reason: "no ite"}, err)
	}
	_, err = th.Call(t.Context(), globals["bad"].(starlark.Callable), nil, nil)
	var ex *registry.Expectation
	require.ErrorAs(t, err, &ex)
	require.EqualError(t, err, "main.star:9:11: in bad\n    expect(1 > 2, \"order\")\nError: expectation failed: order")
}

func TestPanicIsOurBug(t *testing.T) {
	dir := writeFiles(t, map[string]string{"main.star": "def f():\n    return sorted([1], key = lambda _: crash())\n"})
	in, _ := newInterp(t, dir, script.Budget{})
	globals, err := in.Exec(t.Context(), script.Campaign, "main.star")
	require.NoError(t, err)
	th := in.NewThread(script.Case, "t")
	defer th.Close()
	_, err = th.Call(t.Context(), globals["f"].(starlark.Callable), nil, nil)
	var e *script.ScriptError
	require.ErrorAs(t, err, &e)
	require.True(t, e.Internal())
	var mistake *registry.Panic
	require.ErrorAs(t, err, &mistake)
	require.Contains(t, err.Error(), "main.star:2:45: in lambda\n")
	require.Contains(t, err.Error(), "Error: internal error in crash: runtime error")
	require.Contains(t, string(e.GoStack), "crashModule")
}

func TestExecText(t *testing.T) {
	dir := writeFiles(t, map[string]string{"lib.star": "x = 1\n"})
	t.Chdir(dir)
	src := script.NewSources(newRegistry(t), testStd, dir)
	src.SetText("fuzz.star", []byte("load(\"//lib.star\", \"x\")\ny = x + 1\n"))
	src.SetText("bad.star", []byte("x = 1 // 0\n"))
	in := script.New(src, script.InterpreterOptions{})
	globals, err := in.ExecText(t.Context(), script.Campaign, "fuzz.star")
	require.NoError(t, err)
	require.Equal(t, "2", globals["y"].String())
	_, err = in.ExecText(t.Context(), script.Campaign, "bad.star")
	require.EqualError(t, err, "bad.star:1:7: in <toplevel>\n    x = 1 // 0\nError: floored division by zero")
}

func TestAddContext(t *testing.T) {
	dir := writeFiles(t, map[string]string{"main.star": "fail(\"no\")\n"})
	in, _ := newInterp(t, dir, script.Budget{})
	_, err := in.Exec(t.Context(), script.Campaign, "main.star")
	err = registry.AddContext(err, "case 18, seed 0x51f2; replay: smtlark run main.star --seed 0x51f2 --case 18")
	require.EqualError(t, err, "main.star:1:5: in <toplevel>\n    fail(\"no\")\nError: no\ncase 18, seed 0x51f2; replay: smtlark run main.star --seed 0x51f2 --case 18")
}

func TestGlobalsAreFrozen(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"lib.star":  "shared = []\ndef add():\n    shared.append(1)\n",
		"main.star": "load(\"//lib.star\", \"add\")\nmine = {}\ndef f():\n    mine[1] = 2\ndef g():\n    add()\n",
	})
	in, _ := newInterp(t, dir, script.Budget{})
	globals, err := in.Exec(t.Context(), script.Campaign, "main.star")
	require.NoError(t, err)
	th := in.NewThread(script.Case, "t")
	defer th.Close()
	for _, fn := range []string{"f", "g"} {
		_, err = th.Call(t.Context(), globals[fn].(starlark.Callable), nil, nil)
		require.ErrorContains(t, err, "frozen")
	}
}

// A link out of the root is not followed.
func TestNoLinkOutOfRoot(t *testing.T) {
	outside := writeFiles(t, map[string]string{"secret.star": "x = 1\n"})
	dir := writeFiles(t, map[string]string{"main.star": "load(\"//link.star\", \"x\")\n"})
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.star"), filepath.Join(dir, "link.star")))
	in, _ := newInterp(t, dir, script.Budget{})
	_, err := in.Exec(t.Context(), script.Campaign, "main.star")
	require.ErrorContains(t, err, "escapes")
	_, err = in.Exec(t.Context(), script.Campaign, filepath.Join(outside, "secret.star"))
	require.ErrorContains(t, err, "lies outside of the project's root")
}

func TestProjectRoot(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a/b/main.star": "", "c/d/x.star": "", "a/.smtlark/keep": ""})
	root, err := script.ProjectRoot(filepath.Join(dir, "a/b/main.star"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "a"), root)
	root, err = script.ProjectRoot(filepath.Join(dir, "c/d/x.star"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "c/d"), root)
}

func BenchmarkCall(b *testing.B) {
	dir := writeFiles(b, map[string]string{"main.star": "def f(x):\n    return x + 1\n"})
	in, _ := newInterp(b, dir, script.Budget{})
	globals, err := in.Exec(b.Context(), script.Campaign, "main.star")
	require.NoError(b, err)
	th := in.NewThread(script.Case, "b")
	defer th.Close()
	fn, args, ctx := globals["f"].(starlark.Callable), starlark.Tuple{starlark.MakeInt(1)}, b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := th.Call(ctx, fn, args, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func TestREPLCompletes(t *testing.T) {
	in, _ := newInterp(t, t.TempDir(), script.Budget{})
	lines := []string{"mine = struct(left = 1, right = 2)"}
	r := &script.REPL{In: in, Globals: starlark.StringDict{"loaded": rngValue(t, in)}, Out: io.Discard, Errors: io.Discard}
	r.ReadLine = func(string) (string, error) {
		if len(lines) == 0 {
			return "", io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return line, nil
	}
	require.NoError(t, r.Run(t.Context()))
	for before, want := range map[string][]string{
		"math.fl": {"oor"}, "x = 1 + mine.": {"left", "right"}, "loaded.sh": {"uffle"}, "load": {"ed"}, "f(ski": {"p"}, "sorte": {"d"}, "none.": nil, "zzz": nil, "mine.left.": nil,
	} {
		got, _ := r.Complete(before)
		require.Equal(t, want, got, before)
	}
}

// rngValue returns some value with methods.
func rngValue(t *testing.T, in *script.Interpreter) starlark.Value {
	th := in.NewThread(script.Test, "t")
	defer th.Close()
	v, err := th.Call(t.Context(), newRegistry(t).Predeclared()["rng"].(starlark.Callable), starlark.Tuple{starlark.MakeInt(1)}, nil)
	require.NoError(t, err)
	return v
}

// Any number of threads call the frozen functions of one interpreter at the same time.
func TestThreadsRunAtOnce(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"lib.star":  "table = {i: i * i for i in range(100)}\ndef look(i):\n    return table[i]\n",
		"main.star": "load(\"//lib.star\", \"look\")\ndef f(seed):\n    r = rng(seed)\n    i = r.int(0, 120)\n    if i > 110:\n        skip(\"big\")\n    return look(i)\n",
	})
	in, _ := newInterp(t, dir, script.Budget{})
	globals, err := in.Exec(t.Context(), script.Campaign, "main.star")
	require.NoError(t, err)
	results := make([][]string, 4)
	var wg sync.WaitGroup
	for g := range results {
		wg.Go(func() {
			th := in.NewThread(script.Case, "t")
			defer th.Close()
			for seed := range 200 {
				v, err := th.Call(t.Context(), globals["f"].(starlark.Callable), starlark.Tuple{starlark.MakeInt(seed)}, nil)
				if err != nil {
					results[g] = append(results[g], err.Error())
				} else {
					results[g] = append(results[g], v.String())
				}
			}
		})
	}
	wg.Wait()
	for _, r := range results[1:] {
		require.Equal(t, results[0], r)
	}
	require.Contains(t, results[0], "skip: big")
	require.Contains(t, strings.Join(results[0], "\n"), "Error: key ")
}
