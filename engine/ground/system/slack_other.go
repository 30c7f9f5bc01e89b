//go:build !linux

package system

// StartUnhurried calls start, which starts a process.
func StartUnhurried(start func() error) error { return start() }
