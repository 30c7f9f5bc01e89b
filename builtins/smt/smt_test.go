package smt_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/builtins/registry"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

func testRegistry(t testing.TB) *registry.Registry {
	reg, err := script.Registry()
	require.NoError(t, err)
	return reg
}

func library() fs.FS { return stdlib.FS() }
