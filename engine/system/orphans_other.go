//go:build !linux

package system

// AdoptOrphans does nothing here: only Linux gives a process what its descendants leave behind.
func AdoptOrphans() {}

// Processes lists none here.
func Processes() []Relative { return nil }

// EndOrphans finds none here.
func EndOrphans(func(child Relative) bool) int { return 0 }

// Began knows of no process here.
func Began(int, string) bool { return false }

// IsStarting knows of no process here.
func IsStarting(int) bool { return false }

// Lives takes every process to live here.
func Lives(int) bool { return true }
