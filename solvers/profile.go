package solvers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// Profile describes a kind of solver. It is data only: every exported field, including those of its parts, is a keyword
// of profile() in stdlib/solvers/*.star, named by its `star` tag. The `doc` tag is the text of the generated reference.
// Each embedded part covers one topic.
type Profile struct {
	Name string `star:"name" doc:"name of the kind of solver, such as \"z3\"; solvers found get this name and their version"`
	Doc  string `star:"doc" doc:"one line about the solver"`

	Program
	OptionSyntax
	Dialect
	Replies
	Support
	Repertoire
	Promises

	Unchecked bool `star:"unchecked" doc:"the profile was written from the solver's manual and never tested with the solver"`

	Tracker string `star:"tracker" doc:"address of its issue tracker"`
	Issue   string `star:"issue" doc:"the tracker's template, filled in on the page of a finding: Markdown with {description} {input} {command} {output} {expected} {evidence} {version} {versions} {build} {configurations} {system} {options} {category} {interface}"`

	validated struct {
		once sync.Once
		err  error
	}
}

// Validate fills the defaults, checks every field and compiles the patterns. It is done at most once, so do not change
// a profile after its first use. The error names the field and says what is allowed.
func (p *Profile) Validate() error {
	p.validated.once.Do(func() { p.validated.err = p.check() })
	return p.validated.err
}

var profileName = pattern.Lazy(`^[A-Za-z][A-Za-z0-9_.+-]*$`)

// check validates the name and each part.
func (p *Profile) check() error {
	p.fillDefaults()
	if !profileName().MatchString(p.Name) {
		return fmt.Errorf("solver profile: name %q: want a letter, then letters, digits or any of _ . + -", p.Name)
	}
	for _, part := range []interface{ check() error }{&p.Program, &p.OptionSyntax, &p.Dialect, &p.Replies, &p.Support,
		&p.Repertoire, &p.Promises} {
		if err := part.check(); err != nil {
			return fmt.Errorf("solver profile %s: %w", p.Name, err)
		}
	}
	return nil
}

// fillDefaults sets empty fields to the values for a solver that follows the standard.
func (p *Profile) fillDefaults() {
	p.Program.fillDefaults(p.Name)
	p.OptionSyntax.fillDefaults()
	p.Dialect.Echo = cmp.Or(p.Dialect.Echo, "any")
	p.Replies.Errors = cmp.Or(p.Replies.Errors, "both")
}

// fieldError returns an error about a field of a profile.
func fieldError(field, format string, args ...any) error {
	return fmt.Errorf("%s %s", field, fmt.Sprintf(format, args...))
}

// checkWord returns an error unless the field is empty or one of the allowed words.
func checkWord(field, value, allowed string) error {
	if value != "" && !slices.Contains(strings.Fields(allowed), value) {
		return fieldError(field, "%q is not one of: %s", value, allowed)
	}
	return nil
}

// DebugBuild returns the profile of the debug builds of a kind of solver.
func (p *Profile) DebugBuild() (*Profile, error) {
	return ProfileFromMap(map[string]any{"name": p.Name + "-debug", "base": p.Name, "binaries": p.DebugBinaries}, p)
}
