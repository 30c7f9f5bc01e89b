package script

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/stdlib"
)

// A module of the library that was compiled by another process is the same, and one whose file in the cache is broken
// is compiled again.
func TestCompiledOnce(t *testing.T) {
	reg, err := Registry()
	require.NoError(t, err)
	dir := t.TempDir()
	cache := memo.New(dir)
	src := NewSources(reg, stdlib.FS(), t.TempDir())
	code := func(p *starlark.Program) string {
		var b bytes.Buffer
		require.NoError(t, p.Write(&b))
		return b.String()
	}
	const name = "storm.star"
	text, err := fs.ReadFile(stdlib.FS(), name)
	require.NoError(t, err)
	first, err := src.compileOnce(cache, "@std//"+name, text)
	require.NoError(t, err)
	again, err := src.compileOnce(cache, "@std//"+name, text)
	require.NoError(t, err)
	require.NotSame(t, first, again)
	require.Equal(t, code(first), code(again))
	require.Equal(t, "@std//"+name, again.Filename())

	kept, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.NoError(t, os.WriteFile(kept[0], []byte("nonsense"), 0o644))
	again, err = src.compileOnce(cache, "@std//"+name, text)
	require.NoError(t, err)
	require.Equal(t, code(first), code(again))

	_, err = src.compileOnce(cache, "@std//a.star", []byte("x = y\n"))
	require.ErrorContains(t, err, "undefined: y")
}
