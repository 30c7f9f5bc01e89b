package frontend

import (
	"sort"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Mirror records the part of a stack that was sent to one session. The zero value is for a session that got nothing
// yet.
type Mirror struct {
	// Named says that the session gets assertions with the names of NameAssertions, if they have one. It must be set
	// before anything is sent.
	Named    bool
	resets   uint64
	settings int
	told     []told
}

// told is an item that the session has.
type told struct {
	serial uint64
	push   bool
}

// Update lists the commands that a session needs to have the same content as the stack.
type Update struct {
	// Restart says that no commands can update the session: it must be reset or replaced by a new one, and everything
	// is sent again.
	Restart bool
	// Unset says that the session got settings that are not in force any more.
	Unset    bool
	Settings []smtlib.Command
	Commands []smtlib.Command // pop, push and the parts of the problem
}

// UpdateOf returns the commands to send to the session of a mirror. flat is for a session that gets the problem without
// its levels, so that it can solve the problem as a whole. Such a session is restarted after any change other than
// additions.
func (s *Stack) UpdateOf(m *Mirror, flat bool) Update {
	if m.resets != s.resets {
		u := s.wholeUpdate(m, flat)
		u.Unset = m.settings > 0 && !s.KeepOptions
		return u
	}
	u := Update{Settings: s.list[min(m.settings, len(s.list)):]}
	if m.settings == 0 {
		u.Settings = s.Settings()
	}
	common := s.common(m)
	from := common
	if common < len(m.told) {
		// Pop the levels down to the one with the first difference, and push those again that the stack still has.
		pops := 0
		from = len(m.told)
		for from > common || pops == 0 {
			from--
			for from >= 0 && !m.told[from].push {
				from--
			}
			if from < 0 || flat {
				return s.wholeUpdate(m, flat)
			}
			pops++
		}
		u.Commands = append(u.Commands, smtlib.Command{Kind: smtlib.CmdPop, N: pops})
	}
	for i := from; i < s.items.Len(); i++ {
		c := &s.items.At(i).command
		if m.Named && s.items.At(i).named != nil {
			c = s.items.At(i).named
		}
		if (!flat || c.Kind != smtlib.CmdPush) && !isObjective(c) {
			u.Commands = append(u.Commands, *c)
		}
	}
	return u
}

// wholeUpdate returns the update with everything, for a session that has nothing.
func (s *Stack) wholeUpdate(m *Mirror, flat bool) Update {
	u := s.UpdateOf(&Mirror{Named: m.Named, resets: s.resets}, flat)
	u.Restart = true
	return u
}

// common returns how many items of the stack the session has, from the bottom.
func (s *Stack) common(m *Mirror) int {
	n := min(s.items.Len(), len(m.told))
	return sort.Search(n, func(i int) bool { return s.items.At(i).serial != m.told[i].serial })
}

// Note updates the mirror after the session got all commands of an update, which was made from the present state of
// this stack.
func (s *Stack) Note(m *Mirror) {
	common := 0
	if m.resets == s.resets {
		common = s.common(m)
	}
	m.resets, m.settings, m.told = s.resets, len(s.list), m.told[:common]
	for i := common; i < s.items.Len(); i++ {
		m.told = append(m.told, told{s.items.At(i).serial, s.items.At(i).command.Kind == smtlib.CmdPush})
	}
}
