package workspace

import (
	"errors"
	"fmt"
)

// declinedError is the error that the targets of the case being made do not take a seed, so that another one is to be used.
type declinedError struct{ seed, why string }

// Error implements error.
func (e *declinedError) Error() string {
	return fmt.Sprintf("the targets do not take %s (%s)", e.seed, e.why)
}

// isDeclined reports whether an error says that the targets do not take a seed.
func isDeclined(err error) bool {
	var e *declinedError
	return errors.As(err, &e)
}
