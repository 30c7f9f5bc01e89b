package trust

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func enforce(t *testing.T) string {
	t.Helper()
	Enforce()
	t.Cleanup(func() { enforced = false })
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("HOME", home)
	t.Setenv(Env, "")
	return home
}

func TestFolders(t *testing.T) {
	enforce(t)
	top := t.TempDir()
	project, other := filepath.Join(top, "project"), filepath.Join(top, "project2")
	require.NoError(t, os.MkdirAll(filepath.Join(project, "sub"), 0o700))
	require.NoError(t, os.MkdirAll(other, 0o700))
	require.NoError(t, os.Symlink(other, filepath.Join(project, "link")))
	require.False(t, Holds(project))

	_, err := Add(project)
	require.NoError(t, err)
	_, err = Add(project + "/")
	require.NoError(t, err)
	known, err := Folders()
	require.NoError(t, err)
	require.Len(t, known, 1)
	require.True(t, Holds(project))
	require.True(t, Holds(filepath.Join(project, "sub")))
	require.False(t, Holds(top))
	require.False(t, Holds(other), "a name that begins like it")
	require.False(t, Holds(filepath.Join(project, "link")), "a link out of it")
	require.False(t, Holds(filepath.Join(project, "missing")))

	was, err := Remove(project)
	require.NoError(t, err)
	require.True(t, was)
	require.False(t, Holds(project))
	was, err = Remove(project)
	require.NoError(t, err)
	require.False(t, was)

	_, err = Add(filepath.Join(top, "missing"))
	require.Error(t, err)
}

func TestEnvironment(t *testing.T) {
	enforce(t)
	a, b := t.TempDir(), t.TempDir()
	t.Setenv(Env, a+string(filepath.ListSeparator))
	require.True(t, Holds(a))
	require.False(t, Holds(b), "an empty entry is no folder")
	require.NoError(t, All())
	require.True(t, Holds(b))
}

func TestNotEnforced(t *testing.T) {
	require.True(t, Holds(t.TempDir()))
}
