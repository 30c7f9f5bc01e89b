package registry

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// ResultError says that a function of a script returned what it should not. Its place is that of the function: nothing
// else is known once it has returned.
type ResultError struct {
	Fn  starlark.Callable
	Msg string
}

func (e *ResultError) Error() string { return e.Msg }

// Place returns the position at which the function begins, if a script defines it.
func (e *ResultError) Place() (pos syntax.Position, function string, ok bool) {
	f, ok := e.Fn.(*starlark.Function)
	if !ok {
		return pos, "", false
	}
	return f.Position(), f.Name(), true
}

// WrongResult is the error that f returned v where want, such as "a case", is wanted. hint says what else to write; it
// may be empty.
func WrongResult(f starlark.Callable, v starlark.Value, want, hint string) error {
	got := v.Type()
	switch v.(type) {
	case starlark.NoneType:
		got = "None"
		if hint == "" {
			hint = "a function without return gives None"
		}
	case starlark.Callable:
		if f.Name() != "lambda" {
			hint = fmt.Sprintf("is %s() meant?", f.Name())
		}
	}
	if hint != "" {
		hint = "; " + hint
	}
	return &ResultError{f, fmt.Sprintf("%s returned %s, want %s%s", f.Name(), got, want, hint)}
}
