package solvers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/rule"
)

// program writes an executable shell script.
func program(t *testing.T, path, body string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755))
	return path
}

func TestDiscover(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", filepath.Join(dir, "path"))
	t.Setenv(EnvSolvers, filepath.Join(dir, "env")+":"+filepath.Join(dir, "single", "toy-9"))
	toy := func(version string) string {
		return "for a in \"$@\"; do case $a in --fast|--version) ;; *) exit 9;; esac; done; echo toy " + version + "\n"
	}
	program(t, filepath.Join(dir, "given/toy"), toy("1.0"))
	program(t, filepath.Join(dir, "env/toy-2"), toy("2.0"))
	program(t, filepath.Join(dir, "single/toy-9"), toy("9.0"))
	program(t, filepath.Join(dir, "path/toy"), toy("1.0"))
	program(t, filepath.Join(dir, "path/toy-x"), toy("7.0")) // no match for the pattern
	program(t, filepath.Join(dir, ".solvers/bin/toy-3"), toy("3.0"))
	program(t, filepath.Join(dir, ".solvers/bin/toy-4"), "echo nonsense\n")
	program(t, filepath.Join(dir, ".solvers/bin/toy-5"), "echo missing library >&2; exit 127\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".solvers/bin/toy-6"), []byte("no program"), 0o644))
	require.NoError(t, os.Symlink(filepath.Join(dir, "given/toy"), filepath.Join(dir, "path/toy-1")))

	p := &Profile{Name: "toy", Program: Program{Binaries: []string{"toy", "toy-[0-9]*"}, Version: `toy (\S+)`, TryArgs: []string{"--fast", "--slow"}, Modes: []string{"fresh", "reset"}}}
	bad := &Profile{Name: "bad", Program: Program{Binaries: []string{"bad"}}, Replies: Replies{Crash: []string{"("}}}
	found := Discover([]*Profile{p, bad}, []string{"given"})
	var names []string
	for _, s := range found {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"toy-1.0", "toy-2.0", "toy-9.0", "toy-1.0#2", "toy-3.0", "toy", "toy#2", "bad"}, names)
	require.Equal(t, filepath.Join(dir, "given/toy"), found[0].Path)
	require.Equal(t, []string{"--fast"}, found[0].Args, "--slow is not known to the program")
	require.Equal(t, []Mode{Fresh, Reset}, found[0].Modes())
	require.Contains(t, found[5].Unusable, `prints no version that matches`)
	require.Contains(t, found[5].Unusable, "nonsense")
	require.Contains(t, found[6].Unusable, "exit status 127: missing library")
	require.Empty(t, found[6].Modes())
	require.Contains(t, found[7].Unusable, "crash is no regular expression")
}

// A program that the user names is usable whatever it prints as its version. A program found by searching must print a
// known version.
func TestABuildWithoutVersion(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	quiet, rude, gone := filepath.Join(dir, "toy"), filepath.Join(dir, "toy-2"), filepath.Join(dir, "toy-3")
	program(t, quiet, "echo\n")
	program(t, rude, "echo unknown option >&2; exit 1\n")
	program(t, gone, "kill -9 $$\n")
	t.Setenv(EnvSolvers, "")
	t.Setenv("PATH", dir)
	of := func(binaries ...string) *Profile {
		return &Profile{Name: "toy", Program: Program{Binaries: binaries, Version: `toy (\d\S*)`, Modes: []string{"fresh"}}}
	}
	for _, s := range Discover([]*Profile{of("toy", "toy-[0-9]")}, nil) {
		require.NotEmpty(t, s.Unusable, s.Path)
	}
	for _, path := range []string{quiet, rude} {
		for _, found := range [][]*Solver{Discover([]*Profile{of(path)}, nil), Discover([]*Profile{of("toy*")}, []string{path})[:1]} {
			require.Len(t, found, 1)
			require.Empty(t, found[0].Unusable)
			require.Equal(t, "build-"+found[0].Build().Short(), found[0].Version)
			require.Equal(t, "toy-"+found[0].Version, found[0].Name)
		}
	}
	require.Contains(t, Discover([]*Profile{of(gone)}, nil)[0].Unusable, "signal: killed")
	require.False(t, rule.Bounds{Before: "4.13"}.Hold(rule.UnknownVersion+"0123", false), "no older build")
	require.True(t, rule.Bounds{Since: "4.13"}.Hold(rule.UnknownVersion+"0123", false))
}

func TestExecOfLooksThroughStartScripts(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(top, "bin")
	for i, c := range []struct {
		body string
		want []string // nil: the script itself
	}{
		{"exec \"/lib/ld.so\" \"--library-path\" \"/a b:/c\" \"/x/z3\" \"$@\"\n", []string{"/lib/ld.so", "--library-path", "/a b:/c", "/x/z3"}},
		{"# a comment\nexec /x/z3 -in \"$@\"", []string{"/x/z3", "-in"}},
		{herePlace + "\nexec \"$here/../sid/ld.so\" \"--library-path\" \"$here/../a b:$here/../c\" \"$here/../sid/z3\" \"$@\"\n",
			[]string{top + "/sid/ld.so", "--library-path", top + "/a b:" + top + "/c", top + "/sid/z3"}},
		{"exec \"$here/../sid/z3\" \"$@\"\n", nil},
		{"here=/x\nexec \"$here/../sid/z3\" \"$@\"\n", nil},
		{"exec z3 \"$@\"\n", nil},
		{"exec /x/z3 $OPTIONS \"$@\"\n", nil},
		{"exec /x/z3\n", nil},
		{"ulimit -s 100\nexec /x/z3 \"$@\"\n", nil},
		{"exec /x/z3 \"unbalanced \"$@\"\n", nil},
		{"exec /x/z3 2>/dev/null \"$@\"\n", nil},
		{"", nil},
	} {
		path := program(t, filepath.Join(dir, string(rune('a'+i))), c.body)
		if c.want == nil {
			c.want = []string{path}
		}
		require.Equal(t, c.want, execOf(path), c.body)
	}
	require.Equal(t, []string{"/nowhere"}, execOf("/nowhere"))
	link := filepath.Join(top, "linked")
	require.NoError(t, os.Symlink(filepath.Join(dir, "c"), link))
	require.Equal(t, top+"/sid/ld.so", execOf(link)[0], "the place of the script counts, not that of a link to it")
	script, err := os.ReadFile(filepath.Join("..", "tools", "fetch-solvers.sh"))
	require.NoError(t, err)
	require.Contains(t, string(script), "here='"+herePlace+"'\n", "what is written is what is read")
}
