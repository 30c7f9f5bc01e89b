package solvers

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/smt"
)

// compiledProfile is what Validate makes of a profile's texts.
type compiledProfile struct {
	once     sync.Once
	err      error
	version  *regexp.Regexp
	patterns [len(classNames)]*regexp.Regexp // by class; nil when the profile has none
	ignore   *regexp.Regexp
	exits    map[int]Class
}

// Validate fills the defaults, checks every field and compiles the patterns. It is done at most once, so do not change
// a profile after its first use. The error names the field and says what is allowed.
func (p *Profile) Validate() error {
	p.compiled.once.Do(func() { p.compiled.err = p.compileProfile() })
	return p.compiled.err
}

var profileName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.+-]*$`)

func (p *Profile) compileProfile() error {
	p.fillDefaults()
	if !profileName.MatchString(p.Name) {
		return fmt.Errorf("solver profile: name %q: want a letter, then letters, digits or any of _ . + -", p.Name)
	}
	if p.Binaries == nil {
		return p.fieldError("binaries", "is missing; give the file names to look for")
	}
	for _, name := range p.Theories {
		if !theoryNames()[name] {
			return p.fieldError("theories", "%q is no theory%s", name, closestName(name, theoryNames()))
		}
	}
	for _, m := range p.Modes {
		if k, ok := ParseMode(m); !ok || k == Native { // a library is no program
			return p.fieldError("modes", "%q is no mode; want some of fresh, reset, incremental", m)
		}
	}
	if len(p.Modes) == 0 {
		return p.fieldError("modes", "is empty; want some of fresh, reset, incremental")
	}
	for _, e := range p.Env {
		if strings.IndexByte(e, '=') <= 0 {
			return p.fieldError("env", "%q is no NAME=value", e)
		}
	}
	for _, c := range []struct{ field, value, allowed string }{
		{"echo", p.Echo, "plain quoted any"}, {"errors", p.Errors, "stdout stderr both"}, {"memory_limit", p.MemoryLimit, "data address resident"},
	} {
		if c.value != "" && !containsWord(c.allowed, c.value) {
			return p.fieldError(c.field, "%q is not one of: %s", c.value, c.allowed)
		}
	}
	for _, c := range []struct{ field, value, hole string }{
		{"option_format", p.OptionFormat, "{name}"}, {"option_probe", p.OptionProbe, "{name}"}, {"time_limit", p.TimeLimit, "{ms}"}, {"resource_limit", p.ResourceLimit, "{n}"},
	} {
		if c.value != "" && !strings.Contains(c.value, c.hole) {
			return p.fieldError(c.field, "%q does not contain %s", c.value, c.hole)
		}
	}
	for _, c := range p.Configurations {
		if name, args, ok := strings.Cut(c, ":"); !ok || strings.TrimSpace(name) == "" || strings.TrimSpace(args) == "" {
			return p.fieldError("configurations", "has %q; want \"NAME: ARGUMENT ...\"", c)
		}
	}
	for _, e := range p.Experimental {
		if _, err := path.Match(e, ""); err != nil {
			return p.fieldError("experimental", "has %q, which is no pattern: %v", e, err)
		}
	}
	if err := p.checkContracts(); err != nil {
		return err
	}
	if err := p.compileExits(); err != nil {
		return err
	}
	return p.compilePatterns()
}

// theoryNames are the theories of the operator table, and those that have no operators: those of functions as values are
// SMT-LIB 2.7's and cvc5's (HigherOrder), and z3's (ArrayFunctions).
var theoryNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{"UF": true, "Datatypes": true, "Quantifiers": true, "HigherOrder": true, "ArrayFunctions": true}
	for _, op := range smt.Ops() {
		names[op.Theory] = true
	}
	return names
})

func (p *Profile) fieldError(field, format string, args ...any) error {
	return fmt.Errorf("solver profile %s: %s %s", p.Name, field, fmt.Sprintf(format, args...))
}

func containsWord(words, w string) bool {
	for _, x := range strings.Fields(words) {
		if x == w {
			return true
		}
	}
	return false
}

func (p *Profile) compileExits() error {
	p.compiled.exits = make(map[int]Class, len(p.ExitCodes))
	for code, name := range p.ExitCodes {
		n, err := strconv.Atoi(code)
		if err != nil || n < 0 || n > 255 {
			return p.fieldError("exit_codes", "has the key %q; want a number from 0 to 255", code)
		}
		c, ok := ParseClass(name)
		if !ok {
			return p.fieldError("exit_codes", "gives %q for %s; want a class such as \"ok\" or \"out-of-memory\"", name, code)
		}
		p.compiled.exits[n] = c
	}
	return nil
}

func (p *Profile) compilePatterns() error {
	if p.Version != "" {
		re, err := regexp.Compile(p.Version)
		if err != nil {
			return p.fieldError("version", "is no regular expression: %v", err)
		}
		if re.NumSubexp() < 1 {
			return p.fieldError("version", "%q has no group; put the version number in parentheses", p.Version)
		}
		p.compiled.version = re
	}
	for _, c := range []struct {
		field string
		list  []string
		into  **regexp.Regexp
	}{
		{"crash", p.Crash, &p.compiled.patterns[Crash]}, {"assertion", p.Assertion, &p.compiled.patterns[Assertion]},
		{"refusal", p.Refusal, &p.compiled.patterns[Refusal]}, {"unsupported", p.Unsupported, &p.compiled.patterns[Unsupported]},
		{"parse_error", p.ParseError, &p.compiled.patterns[ParseError]}, {"timeout", p.Timeout, &p.compiled.patterns[Timeout]},
		{"out_of_memory", p.OutOfMemory, &p.compiled.patterns[OutOfMemory]}, {"ignore", p.Ignore, &p.compiled.ignore},
	} {
		re, err := anyOf(c.list)
		if err != nil {
			return p.fieldError(c.field, "is no regular expression: %v", err)
		}
		*c.into = re
	}
	return nil
}

// anyOf compiles a list of expressions into one that matches where any of them does; nil for an empty list.
func anyOf(list []string) (*regexp.Regexp, error) {
	if len(list) == 0 {
		return nil, nil
	}
	for _, e := range list {
		if _, err := regexp.Compile(e); err != nil {
			return nil, err
		}
	}
	return regexp.Compile("(?m:" + strings.Join(list, "|") + ")")
}
