package worker

import (
	"maps"
	"slices"
	"sync"
)

// noted collects the files that a campaign uses.
type noted struct {
	mu    sync.Mutex
	paths map[string]bool
}

// note adds a file; it may be called by any goroutine.
func (n *noted) note(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.paths == nil {
		n.paths = map[string]bool{}
	}
	n.paths[path] = true
}

// list returns the files so far, sorted.
func (n *noted) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.paths))
}
