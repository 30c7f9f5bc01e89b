package workspace

import (
	"errors"
	"fmt"
)

// declinedError is the error that the targets of the case being made do not take a seed, so that another one is to be
// used.
type declinedError struct{ seed, why string }

// Error implements error.
func (e *declinedError) Error() string {
	return fmt.Sprintf("the targets do not take %s (%s)", e.seed, e.why)
}

// whyDeclined returns why the targets do not take a seed, in the words of a rule, where an error says that; else "".
func whyDeclined(err error) string {
	var e *declinedError
	if !errors.As(err, &e) {
		return ""
	}
	return e.why
}
