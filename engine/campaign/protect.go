package campaign

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// panicked is a panic of smtlark's own code while it ran a case.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string {
	return fmt.Sprintf("internal error (a bug of smtlark; please report it): %v\n%s", p.value, p.stack)
}

// PanicError makes an error of a recovered panic; call it in the deferred function itself.
func PanicError(value any) error {
	if err, ok := value.(error); ok {
		var le *LoadError
		if errors.As(err, &le) {
			return err
		}
	}
	return &panicked{value, debug.Stack()}
}

// Protect turns a panic into an error.
func Protect(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = PanicError(v)
		}
	}()
	f()
	return nil
}

// OneLine returns a text with its white space made single blanks.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
