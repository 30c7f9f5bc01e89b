package frontend

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// settings are those of a client.
type settings struct {
	list    []smtlib.Command // set-logic and set-option, in order; an option that is set twice is listed twice
	changes uint64
}

func (s *settings) add(c *smtlib.Command) {
	s.list = append(s.list, *c)
	s.changes++
}

// RemoveSetting removes the setting that was added last.
func (s *settings) RemoveSetting() { s.list, s.changes = s.list[:len(s.list)-1], s.changes+1 }

// Settled is a number that changes with every change of the settings.
func (s *settings) Settled() uint64 { return s.changes }

// Logic returns the logic that was set, or "".
func (s *settings) Logic() string {
	for i := range s.list {
		if s.list[i].Kind == smtlib.CmdSetLogic {
			return s.list[i].Text
		}
	}
	return ""
}

// Settings returns the settings in force: the logic, and each option with its latest value, in the order in which they
// were first set.
func (s *settings) Settings() []smtlib.Command {
	var out []smtlib.Command
	for i := range s.list {
		c := &s.list[i]
		at := slices.IndexFunc(out, func(x smtlib.Command) bool { return x.Kind == c.Kind && x.Name == c.Name })
		if at >= 0 {
			out[at] = *c
			continue
		}
		out = append(out, *c)
	}
	return out
}

// Option returns the value that an option was set to last; "" if it was not.
func (s *settings) Option(name string) (value string) {
	for i := range s.list {
		if c := &s.list[i]; c.Kind == smtlib.CmdSetOption && c.Name == name {
			value = c.Text
		}
	}
	return value
}
