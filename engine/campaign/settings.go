package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// Settings are the variables of a campaign file that the command line sets: --set name=value.
type Settings struct {
	given map[string]string

	mu    sync.Mutex
	asked map[string]bool
}

// NewSettings returns the settings of a command line.
func NewSettings(given map[string]string) *Settings {
	return &Settings{given: given, asked: map[string]bool{}}
}

// Check returns an error if something was set that no file asked for.
func (s *Settings) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := slices.Sorted(maps.Keys(s.asked))
	for _, name := range slices.Sorted(maps.Keys(s.given)) {
		if s.asked[name] {
			continue
		}
		hint := "the campaign file has no settings; it asks for one by setting(\"name\", default)"
		if near := spelling.Nearest(name, known); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		} else if len(known) > 0 {
			hint = "there are " + strings.Join(known, ", ")
		}
		return fmt.Errorf("--set %s=...: no setting has that name (%s)", name, hint)
	}
	return nil
}

// Get returns the value of a setting, and notes that a file asked for it.
func (s *Settings) Get(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[name] = true
	text, ok := s.given[name]
	return text, ok
}
