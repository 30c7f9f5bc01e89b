package system

import "errors"

// Replace would replace this process by a new run of the program, which Windows does not support.
func Replace() error { return errors.ErrUnsupported }
