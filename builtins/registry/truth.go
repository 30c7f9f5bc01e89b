package registry

import (
	"errors"

	"go.starlark.net/starlark"
)

// undecided is a value that is neither true nor false where a condition is wanted.
type undecided interface {
	starlark.Value
	// NoTruth says what to write instead.
	NoTruth() string
}

// Truth is the truth of a value, or an error if it has none.
func Truth(v starlark.Value) (bool, error) {
	if u, ok := v.(undecided); ok {
		return false, errors.New(u.NoTruth())
	}
	return bool(v.Truth()), nil
}
