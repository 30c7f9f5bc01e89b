package solvers

import (
	"strconv"
	"strings"
	"time"
)

// Option is a solver option as a campaign file gives it: name without colon or dashes, value as text ("true", "17").
type Option struct{ Name, Value string }

// OptionText spells an option for this kind of solver; isCommand tells an SMT-LIB command from an argument.
func (p *Profile) OptionText(o Option) (text string, isCommand bool) {
	return spellOption(p.OptionFormat, "{name}", o.Name, "{value}", o.Value)
}

// OptionProbeText spells the argument that tells whether the solver knows an option; "" where setting it does.
func (p *Profile) OptionProbeText(o Option) string {
	text, _ := spellOption(p.OptionProbe, "{name}", o.Name, "{value}", o.Value)
	return text
}

// TimeLimitText spells the solver's own limit for one check-sat; "" when its profile gives none.
func (p *Profile) TimeLimitText(d time.Duration) (text string, isCommand bool) {
	return spellOption(p.TimeLimit, "{ms}", strconv.FormatInt(max(1, d.Milliseconds()), 10))
}

// ResourceLimitText spells the solver's deterministic resource limit for one check-sat, in the solver's own unit; ""
// when its profile gives none.
func (p *Profile) ResourceLimitText(n uint64) (text string, isCommand bool) {
	return spellOption(p.ResourceLimit, "{n}", strconv.FormatUint(n, 10))
}

func spellOption(format string, oldnew ...string) (string, bool) {
	return strings.NewReplacer(oldnew...).Replace(format), strings.HasPrefix(format, "(")
}
