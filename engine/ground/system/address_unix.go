//go:build linux || darwin

package system

import (
	"errors"
	"syscall"
)

// AddressInUse reports whether listening failed because another process listens there.
func AddressInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
