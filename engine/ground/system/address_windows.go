package system

import (
	"errors"

	"golang.org/x/sys/windows"
)

// AddressInUse reports whether listening failed because another process listens there.
func AddressInUse(err error) bool { return errors.Is(err, windows.WSAEADDRINUSE) }
