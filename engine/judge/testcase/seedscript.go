package testcase

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// SeedScript is the script that a case was made of, for oracles that compare a solver's answers to the two.
type SeedScript struct {
	Name string
	// Restored says that the case was read back to be judged again: earlier runs of the seed do not count.
	Restored bool

	script *smtlib.Script
	text   string // of a seed that is not parsed yet
}

// NewSeedScript returns the seed of a parsed script.
func NewSeedScript(script *smtlib.Script) *SeedScript {
	return &SeedScript{Name: script.Name, script: script}
}

// ReadSeedScript returns the seed of a text, which is parsed when it is needed.
func ReadSeedScript(name, text string) *SeedScript {
	return &SeedScript{Name: name, text: text, Restored: true}
}

// Script returns the seed's script. The error is that of parsing it.
func (s *SeedScript) Script() (*smtlib.Script, error) {
	if s.script == nil {
		script, err := smtlib.Parse(s.Name, []byte(s.text), smt.NewArena())
		if err != nil {
			return nil, err
		}
		s.script = script
	}
	return s.script, nil
}

// Text returns the seed as SMT-LIB text.
func (s *SeedScript) Text() string {
	if s.text == "" && s.script != nil {
		s.text = s.script.Text()
	}
	return s.text
}
