//go:build !linux

package system

// AdoptOrphans does nothing here: only on Linux can a process adopt the orphans of its descendants.
func AdoptOrphans() {}

// AdoptOrphansOnceStarted does nothing here, like AdoptOrphans.
func AdoptOrphansOnceStarted() {}

// Starting does nothing here, like AdoptOrphans.
func Starting() {}

// Processes lists none here.
func Processes() []Relative { return nil }

// EndOrphans finds none here.
func EndOrphans(func(child Relative) bool) int { return 0 }

// EndOrphansBut finds none here.
func EndOrphansBut(func(pid int) bool, func(child Relative) bool) int { return 0 }

// Began knows of no process here.
func Began(int, string) bool { return false }

// IsStarting knows of no process here.
func IsStarting(int) bool { return false }

// Lives takes every process to live here.
func Lives(int) bool { return true }
