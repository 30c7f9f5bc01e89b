package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/smtlark/smtlark"

// layers lists the packages from the lowest to the highest, as docs/architecture.md draws
// them. A package may import lower layers and its own; "/..." takes in subpackages. A new
// package has to be added here, where its place is thought about once.
var layers = [][]string{
	{"engine/system", "engine/display"},
	{"engine/rng", "engine/smt/..."},
	{"engine/smtlib/..."},
	{"engine/eval/...", "engine/rewrite/..."},
	{"solvers/confine", "solvers/trust"},
	{"solvers", "solvers/build", "solvers/process/...", "solvers/native/...", "solvers/meta/..."},
	{"engine/testcase"},
	{"engine/gen/...", "engine/api/...", "engine/probe", "engine/mutate/...", "engine/fusion/...", "engine/oracle/...", "engine/claim", "engine/reduce/...", "engine/triage/...", "engine/severity"},
	{"engine/campaign/..."},
	{"engine/store/...", "engine/cluster/...", "engine/report/...", "engine/benchmark"},
	{"builtins/registry"},
	{"builtins/value/..."},
	{"builtins/..."},
	{"stdlib", "tools"},
	{"starlark", "starlark/lint"},
	{"starlark/host"},
	{"cmd/..."},
}

// free are packages outside of the layers: helpers of tests. Only tests import them, and
// the commands below them.
const free = "internal/"

// layerOf returns the index of a package's layer, or -1.
func layerOf(pkg string) int {
	for i, patterns := range layers {
		for _, p := range patterns {
			if p == pkg {
				return i
			}
			if prefix, ok := strings.CutSuffix(p, "/..."); ok && (pkg == prefix || strings.HasPrefix(pkg, prefix+"/")) {
				return i
			}
		}
	}
	return -1
}

// violation says what is wrong with one import, or "".
func violation(from, imported string, test bool) string {
	lowerHalf := strings.HasPrefix(from, "engine/") || from == "solvers" || strings.HasPrefix(from, "solvers/")
	if lowerHalf && (imported == "go.starlark.net" || strings.HasPrefix(imported, "go.starlark.net/")) {
		return "the engine and the solvers know nothing of Starlark"
	}
	if !test && (strings.HasPrefix(imported, "github.com/stretchr/testify") || imported == "testing" || strings.HasPrefix(imported, "pgregory.net/rapid")) &&
		!strings.Contains(from+"/", "internal/") {
		return "only tests import test libraries"
	}
	to, ours := strings.CutPrefix(imported, modulePath+"/")
	if !ours || test {
		return "" // tests may look at any package of ours: the compiler refuses cycles
	}
	if strings.HasPrefix(to, free) {
		if strings.HasPrefix(from, free) {
			return ""
		}
		return "only tests import " + free
	}
	if strings.HasPrefix(from, free) {
		return ""
	}
	a, b := layerOf(from), layerOf(to)
	switch {
	case b > a:
		return "it imports upwards"
	case a == b && isModule(from) && path.Dir(to) != from && path.Dir(from) != to:
		return "modules of the script API do not import each other; what they share goes to builtins/value"
	}
	return ""
}

// isModule reports whether a package is a module of the script API.
func isModule(pkg string) bool { return layerOf(pkg) == layerOf("builtins/any") }

func TestWhoMayImportWhom(t *testing.T) {
	root := filepath.Join("..", "..")
	packages := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		require.NoError(t, err)
		pkg := path.Dir(filepath.ToSlash(rel))
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Logf("%s is broken just now: %v", rel, err)
			return nil
		}
		packages[pkg] = true
		for _, imp := range tree.Imports {
			imported, err := strconv.Unquote(imp.Path.Value)
			require.NoError(t, err)
			if msg := violation(pkg, imported, strings.HasSuffix(file, "_test.go")); msg != "" {
				t.Errorf("%s imports %s: %s", rel, strings.TrimPrefix(imported, modulePath+"/"), msg)
			}
		}
		return nil
	})
	require.NoError(t, err)
	for pkg := range packages {
		if layerOf(pkg) < 0 && !strings.HasPrefix(pkg, free) && !slices.Contains([]string{"tools"}, strings.Split(pkg, "/")[0]) {
			t.Errorf("package %s is in no layer: add it to layers (and to docs/architecture.md)", pkg)
		}
	}
	require.Greater(t, len(packages), 10)
}

// TestViolation checks the checker.
func TestViolation(t *testing.T) {
	ours := func(p string) string { return modulePath + "/" + p }
	for _, tc := range []struct {
		from, to string
		test     bool
		bad      bool
	}{
		{"engine/smt", ours("engine/smtlib"), false, true},
		{"engine/smtlib", ours("engine/smt"), false, false},
		{"engine/eval/softfp", ours("engine/campaign"), false, true},
		{"engine/triage", ours("engine/oracle"), false, false},
		{"engine/campaign", "go.starlark.net/starlark", false, true},
		{"engine/campaign", "go.starlark.net/starlark", true, true},
		{"solvers/process", ours("engine/testcase"), false, true},
		{"builtins/smt", ours("builtins/solver"), false, true},
		{"builtins/smt", ours("builtins/smt/ops"), false, false},
		{"builtins/smt/ops", ours("builtins/corpus"), false, true},
		{"builtins/smt", ours("builtins/value"), false, false},
		{"builtins/value", ours("builtins/smt"), false, true},
		{"builtins/smt", ours("starlark"), false, true},
		{"starlark", ours("builtins/smt"), false, false},
		{"starlark", ours("cmd/smtlark"), false, true},
		{"engine/oracle", "github.com/stretchr/testify/require", false, true},
		{"engine/oracle", "github.com/stretchr/testify/require", true, false},
		{"engine/oracle", ours("internal/fakesolver"), false, true},
		{"engine/oracle", ours("internal/fakesolver"), true, false},
	} {
		require.Equal(t, tc.bad, violation(tc.from, tc.to, tc.test) != "", "%s -> %s (test: %v)", tc.from, tc.to, tc.test)
	}
}
