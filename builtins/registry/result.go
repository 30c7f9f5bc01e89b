package registry

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// ResultError reports that a function of a script returned a wrong value. Its position is that of the function, since
// nothing else is known once the function has returned.
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

// WrongResult returns the error that f returned v instead of want, such as "a case". hint suggests what to write
// instead; it may be empty.
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
