//go:build !linux

package system

import "unsafe"

// PreferLargePages does nothing: there is no such wish.
func PreferLargePages(unsafe.Pointer, uintptr) {}
