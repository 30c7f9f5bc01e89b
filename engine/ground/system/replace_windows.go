package system

import "errors"

// Replace runs this program anew in the place of this process, which Windows cannot do.
func Replace() error { return errors.ErrUnsupported }
