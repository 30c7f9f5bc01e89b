//go:build !linux

package system

import "unsafe"

// PreferLargePages does nothing: this system has no such hint.
func PreferLargePages(unsafe.Pointer, uintptr) {}
