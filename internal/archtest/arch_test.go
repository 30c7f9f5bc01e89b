package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/smtlark/smtlark"

// layers lists the packages from the lowest to the highest, as the numbered list under
// "Layers" of docs/architecture.md does: what that page draws is what this test keeps. A
// package may import lower layers and its own; "/..." takes in subpackages.
var layers = readLayers()

// architecture is the page that has the rooms and the layers.
const architecture = "../../docs/architecture.md"

var (
	numbered = regexp.MustCompile(`^\d+\. `)
	codeSpan = regexp.MustCompile("`([^`]+)`")
)

// readLayers reads the numbered list under "## Layers".
func readLayers() (layers [][]string) {
	_, section, found := strings.Cut(readArchitecture(), "\n## Layers\n")
	if !found {
		panic(architecture + ` has no section "Layers"`)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if !numbered.MatchString(line) {
			continue
		}
		layers = append(layers, codeSpans(line))
	}
	return layers
}

// readArchitecture reads the page.
func readArchitecture() string {
	text, err := os.ReadFile(filepath.FromSlash(architecture))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// codeSpans lists what stands in backquotes in a line.
func codeSpans(line string) (spans []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
		spans = append(spans, m[1])
	}
	return spans
}

// free are packages outside of the layers: helpers of tests. Only tests import them, and
// the commands below them.
const free = "internal/"

// layerOf returns the index of a package's layer, by the longest of the paths that take it in, or -1.
func layerOf(pkg string) int {
	layer, longest := -1, 0
	for i, patterns := range layers {
		for _, p := range patterns {
			prefix, all := strings.CutSuffix(p, "/...")
			if len(p) > longest && (p == pkg || all && (pkg == prefix || strings.HasPrefix(pkg, prefix+"/"))) {
				layer, longest = i, len(p)
			}
		}
	}
	return layer
}

// wings lists the folders of the wings from the lowest to the highest, as the table under "Wings" of
// docs/architecture.md does.
func wings() (all []string) {
	_, section, _ := strings.Cut(readArchitecture(), "\n## Wings\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			all = append(all, codeSpans(line)[0])
		}
	}
	slices.Reverse(all) // the page has the house from the roof down
	return all
}

// TestWings checks that the wings are all there is in engine/, each with a page of its own, and that no layer of a wing
// lies below one of a wing under it.
func TestWings(t *testing.T) {
	all := wings()
	require.Contains(t, all, "solvers")
	entries, err := os.ReadDir(filepath.Join("..", "..", "engine"))
	require.NoError(t, err)
	for _, e := range entries {
		require.Contains(t, all, "engine/"+e.Name(), "a folder of engine/ that is no wing")
	}
	lowest := 0
	for _, wing := range all {
		var own []int
		for pkg := range packageFolders(t) {
			if pkg == wing || strings.HasPrefix(pkg, wing+"/") {
				own = append(own, layerOf(pkg))
			}
		}
		require.NotEmpty(t, own, wing)
		require.GreaterOrEqual(t, slices.Min(own), lowest, wing)
		lowest = slices.Max(own)
		text, err := os.ReadFile(filepath.Join("..", "..", wing, "doc.go"))
		require.NoError(t, err)
		require.Contains(t, string(text), "Read ", "%s does not say in which order to read it", wing)
	}
}

// violation returns the error in an import, or "" if it is allowed.
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

// packageFolders lists the folders with Go files, and those files, by their paths from the
// root of the project.
func packageFolders(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	folders := map[string][]string{}
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		folders[path.Dir(rel)] = append(folders[path.Dir(rel)], rel)
		return nil
	}))
	return folders
}

func TestWhoMayImportWhom(t *testing.T) {
	root := filepath.Join("..", "..")
	packages := packageFolders(t)
	const rapid = "pgregory.net/rapid" // its random values must not decide the result of the gate
	for pkg, files := range packages {
		all := map[string]bool{}
		for _, file := range files {
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(file)), nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, imp := range tree.Imports {
				imported, err := strconv.Unquote(imp.Path.Value)
				require.NoError(t, err)
				all[imported] = true
				if msg := violation(pkg, imported, strings.HasSuffix(file, "_test.go")); msg != "" {
					t.Errorf("%s imports %s: %s", file, strings.TrimPrefix(imported, modulePath+"/"), msg)
				}
			}
		}
		require.True(t, !all[rapid] || pkg == "internal/rapidseed" || all[modulePath+"/internal/rapidseed"], "%s imports rapid: it imports internal/rapidseed, too", pkg)
	}
	for pkg := range packages {
		if layerOf(pkg) < 0 && !strings.HasPrefix(pkg, free) && !slices.Contains([]string{"tools"}, strings.Split(pkg, "/")[0]) {
			t.Errorf("package %s is in no layer: add it to the list Layers and to the table Rooms of docs/architecture.md", pkg)
		}
	}
	require.Greater(t, len(packages), 10)
	for _, layer := range layers {
		for _, pattern := range layer {
			dir := strings.TrimSuffix(pattern, "/...")
			require.DirExists(t, filepath.Join(root, filepath.FromSlash(dir)), "docs/architecture.md names a package that is not there")
		}
	}
}

// TestRooms holds the table of rooms against the folders: every room is there, and every
// package lies in a room, its own or one above it.
func TestRooms(t *testing.T) {
	_, section, found := strings.Cut(readArchitecture(), "\n## Rooms\n")
	require.True(t, found, "docs/architecture.md has no section Rooms")
	section, _, _ = strings.Cut(section, "\n## ")
	rooms := map[string]bool{}
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, room := range codeSpans(strings.Split(line, "|")[1]) {
			room = strings.TrimSuffix(room, "/*")
			rooms[room] = true
			require.DirExists(t, filepath.Join("..", "..", filepath.FromSlash(room)), "docs/architecture.md describes a room that is not there")
		}
	}
	for pkg := range packageFolders(t) {
		room := pkg
		for room != "." && !rooms[room] {
			room = path.Dir(room)
		}
		require.NotEqual(t, ".", room, "package %s is in no room of docs/architecture.md", pkg)
	}
}

// TestWhereToChange checks that the files that the page sends people to are there.
func TestWhereToChange(t *testing.T) {
	_, section, found := strings.Cut(readArchitecture(), "\n## Where would you change ...\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	named := 0
	for _, name := range codeSpans(section) {
		if strings.Contains(name, "/") && !strings.Contains(name, " ") {
			named++
			_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name)))
			require.NoError(t, err)
		}
	}
	require.Greater(t, named, 20)
}

// TestViolation checks the checker.
func TestViolation(t *testing.T) {
	ours := func(p string) string { return modulePath + "/" + p }
	for _, tc := range []struct {
		from, to string
		test     bool
		bad      bool
	}{
		{"engine/language/smt", ours("engine/semantics/eval"), false, true},
		{"engine/language/smtlib", ours("engine/language/smt"), false, false},
		{"engine/semantics/eval/softfp", ours("engine/campaign"), false, true},
		{"engine/judge/triage", ours("engine/judge/oracle"), false, false},
		{"engine/campaign", "go.starlark.net/starlark", false, true},
		{"engine/campaign", "go.starlark.net/starlark", true, true},
		{"solvers/process", ours("engine/judge/testcase"), false, true},
		{"builtins/smt", ours("builtins/fusion"), false, true},
		{"builtins/smt", ours("builtins/smt/ops"), false, false},
		{"builtins/smt/ops", ours("builtins/mutate"), false, true},
		{"builtins/smt", ours("builtins/value"), false, false},
		{"builtins/value", ours("builtins/smt"), false, true},
		{"builtins/smt", ours("starlark"), false, true},
		{"starlark", ours("builtins/smt"), false, false},
		{"starlark", ours("cmd/smtlark"), false, true},
		{"engine/judge/oracle", "github.com/stretchr/testify/require", false, true},
		{"engine/judge/oracle", "github.com/stretchr/testify/require", true, false},
		{"engine/judge/oracle", ours("internal/fakesolver"), false, true},
		{"engine/judge/oracle", ours("internal/fakesolver"), true, false},
	} {
		require.Equal(t, tc.bad, violation(tc.from, tc.to, tc.test) != "", "%s -> %s (test: %v)", tc.from, tc.to, tc.test)
	}
}
