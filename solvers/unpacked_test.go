package solvers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Solvers that were unpacked beside a campaign or above a finding are found from any working folder; the copies of a
// second clone count once, another build of the same version does not.
func TestUnpackedElsewhere(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	require.NoError(t, os.MkdirAll(filepath.Join(work, "deep", "er"), 0o755))
	t.Chdir(filepath.Join(work, "deep", "er"))
	t.Setenv("PATH", "")
	t.Setenv(EnvSolvers, "")
	program(t, filepath.Join(work, ".solvers/bin/toy-1"), "echo toy 1.0\n")
	program(t, filepath.Join(dir, "campaign/.solvers/bin/toy-1"), "echo toy 1.0\n")
	program(t, filepath.Join(dir, "campaign/.solvers/bin/toy-2"), "echo toy 2.0\n")
	program(t, filepath.Join(dir, "old/.solvers/bin/toy-1"), "# of last night\necho toy 1.0\n")
	require.NoError(t, os.Symlink(filepath.Join(dir, "campaign", ".solvers"), filepath.Join(dir, "old", "linked")))
	p := &Profile{Name: "toy", Program: Program{Binaries: []string{"toy-[0-9]*"}, Version: `toy (\S+)`}}
	list := func(near ...string) (out []string) {
		for _, s := range Discover([]*Profile{p}, nil, near...) {
			rel, err := filepath.Rel(dir, s.Path)
			require.NoError(t, err)
			out = append(out, s.Name+" "+rel)
		}
		return out
	}
	require.Equal(t, []string{"toy-1.0 work/.solvers/bin/toy-1"}, list())
	require.Equal(t, []string{"toy-1.0 work/.solvers/bin/toy-1", "toy-2.0 campaign/.solvers/bin/toy-2"}, list(filepath.Join(dir, "campaign", "findings", "0001-x")))
	require.Equal(t, []string{"toy-1.0 work/.solvers/bin/toy-1", "toy-2.0 campaign/.solvers/bin/toy-2", "toy-1.0#2 old/.solvers/bin/toy-1"},
		list(filepath.Join(dir, "campaign"), filepath.Join(dir, "old")))
	require.Len(t, Unpacked("bin", work, filepath.Join(work, "deep"), "/nowhere"), 1, "the same folder counts once")
	builds := Discover([]*Profile{p}, nil, filepath.Join(dir, "old"))
	require.Len(t, builds, 2)
	require.NotEqual(t, builds[0].Build().Short(), builds[1].Build().Short())
}
