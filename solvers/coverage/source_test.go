//go:build linux && amd64

package coverage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/fakesolver"
)

// changeOf is a patch that writes the lines with a text anew.
func changeOf(t *testing.T, texts ...string) *Change {
	t.Helper()
	var patch strings.Builder
	patch.WriteString("diff --git a/counting.c b/counting.c\n--- a/counting.c\n+++ b/counting.c\n")
	n := 0
	for line := range strings.Lines(string(fakesolver.CountingSource())) {
		n++
		for _, text := range texts {
			if strings.Contains(line, text) {
				fmt.Fprintf(&patch, "@@ -%d +%d @@\n-old\n+%s\n", n, n, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	c, err := ParseChange(strings.NewReader(patch.String()))
	require.NoError(t, err)
	return c
}

func sites(t *testing.T) Module {
	return Module{Path: fakesolver.Counting(t, "-DSITES", "-g"), First: 100, Count: 5}
}

// TestEdgesOfChangedLines: those in the lines, in their function, and in what calls it.
func TestEdgesOfChangedLines(t *testing.T) {
	m := sites(t)
	a, err := Locate([]Module{m}, 200, changeOf(t, "changed, and reached", "changed, and never reached", "EDGES 65536"), "")
	require.NoError(t, err)
	require.Equal(t, []string{"changed"}, a.Functions)
	require.Equal(t, [][]int{{102}, {103}}, a.Edges)
	require.Equal(t, "counting.c", a.Lines[0].File)
	require.Equal(t, []float32{0, 0, inCaller, inLine, inLine, 0}, a.Near[99:105])
	require.Equal(t, 2, a.Calls, "calls, and main")
	require.Len(t, Ranges(a.Lines), 2)
	require.Equal(t, []string{"f:1", "f:3-4", "g:5"}, Ranges([]Line{{"f", 1}, {"f", 3}, {"f", 4}, {"g", 5}}))
}

// TestEdgesByFile: those of each source file, by line tables; files without any are left out.
func TestEdgesByFile(t *testing.T) {
	m := sites(t)
	files, err := ByFile([]Module{{Path: "/bin/sh"}, m}, func(edge int) bool { return edge == 102 || edge == 104 })
	require.NoError(t, err)
	require.Equal(t, []FileEdges{{"counting.c", 2, 5}}, files)
	_, err = ByFile([]Module{{Path: "/bin/sh"}}, func(int) bool { return true })
	require.ErrorContains(t, err, "it has no section __sancov_guards")
	_, err = ByFile([]Module{{Path: fakesolver.Counting(t, "-DSITES"), First: 100, Count: 5}}, func(int) bool { return true })
	require.ErrorContains(t, err, "it has no line tables: build it with -g or -gline-tables-only")
	require.Equal(t, "/b/", commonFolder([]string{"/b/x/y.c", "/usr/include/stdio.h", "/b/x/z.c", "/b/v.c"}))
	require.Equal(t, "", commonFolder([]string{"x/y.c", "/b/v.c"}))
}

func TestChangesWithoutCode(t *testing.T) {
	m := sites(t)
	_, err := Locate([]Module{m}, 200, changeOf(t, "EDGES 65536"), "")
	require.ErrorContains(t, err, "no changed line of counting.c has code")
	_, err = Locate([]Module{m}, 200, &Change{Files: []ChangedFile{{"other.c", []int{1}}}}, "")
	require.ErrorContains(t, err, "none of the changed files is among its sources (other.c)")
	_, err = Locate([]Module{m}, 200, &Change{}, "")
	require.ErrorContains(t, err, "no new lines")
	_, err = Locate([]Module{{Path: "/bin/sh"}}, 200, changeOf(t, "sink"), "")
	require.ErrorContains(t, err, "no section __sancov_guards")
	m.Path = fakesolver.Counting(t, "-DSITES")
	_, err = Locate([]Module{m}, 200, changeOf(t, "sink"), "")
	require.ErrorContains(t, err, "line tables")
	m.Path = fakesolver.Counting(t, "-DSITES", "-s")
	_, err = Locate([]Module{m}, 200, changeOf(t, "sink"), "")
	require.ErrorContains(t, err, "no table of symbols")
}

func TestPatches(t *testing.T) {
	for _, c := range []struct {
		patch string
		want  []ChangedFile
	}{
		{"--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,4 @@\n one\n+new\n two\n three\n", []ChangedFile{{"x.c", []int{2}}}},
		{"diff --git a/d/x.c b/d/x.c\n--- a/d/x.c\n+++ b/d/x.c\n@@ -5,2 +4,0 @@ f\n-a\n-b\n", []ChangedFile{{"d/x.c", []int{4, 5}}}},
		{"--- a/x.c\n+++ b/x.c\n@@ -1,4 +1,3 @@\n one\n-gone\n two\n-three\n+drei\n", []ChangedFile{{"x.c", []int{1, 2, 3}}}},
		{"diff --git a/x.c b/x.c\ndeleted file mode 100644\n--- a/x.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", nil},
		{"diff --git a/x.c b/y.c\nsimilarity index 100%\nrename from x.c\nrename to y.c\n", nil},
	} {
		got, err := ParseChange(strings.NewReader(c.patch))
		require.NoError(t, err, c.patch)
		require.Equal(t, c.want, got.Files, c.patch)
	}
	for _, broken := range []string{"", "int main;", "--- a/x\n+++ b/x\n@@ -1,9 +1 @@\n-a\n"} {
		_, err := ParseChange(strings.NewReader(broken))
		require.ErrorContains(t, err, "no patch in the unified format", broken)
	}
}

func TestFilesByName(t *testing.T) {
	for _, c := range []struct {
		name, changed, root string
		want                bool
	}{
		{"/src/z3/ast/ast.cpp", "ast/ast.cpp", "/src/z3", true},
		{"/src/z3/util/ast/ast.cpp", "ast/ast.cpp", "/src/z3", false},
		{"/elsewhere/z3/ast/ast.cpp", "ast/ast.cpp", "/src/z3", true},
		{"/src/z3/blast/ast.cpp", "ast/ast.cpp", "", false},
		{"ast/ast.cpp", "ast/ast.cpp", "", true},
	} {
		require.Equal(t, c.want, isFile(c.name, c.changed, c.root), "%v", c)
	}
}
