package triage

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Severity says how serious a finding is, as the developers of solvers rank it; less is more serious. A wrong unsat
// comes first: whoever relies on it has proven nothing. Then come wrong sats and wrong models, crashes without options
// or in a configuration that the developers vouch for, crashes that need options, and the rest. The sources are public
// threads: cvc5 issue 5734 gives wrong answers the first and crashes the fourth of its priorities; cvc5 1.3.0 has a
// safe mode (its NEWS.md); z3 issue 4461 puts corner cases that no application reaches last.
type Severity uint8

// The severities.
const (
	WrongUnsat Severity = iota + 1
	WrongSat            // and invalid models, values, cores and other replies
	CrashByDefault
	CrashWithOptions
	Other // refusals, performance, bugs reported by an oracle of a campaign file
	// OutsideContract is the severity of findings that show only with an operator that the solver accepts but its
	// developers do not document.
	OutsideContract
)

var severityNames = [...]string{"unknown", "wrong unsat", "wrong sat, model or reply", "crash in a default or safe configuration", "crash under options", "other", "outside of what the solver documents"}

// String returns the name of the severity.
func (s Severity) String() string {
	if int(s) >= len(severityNames) {
		return severityNames[0]
	}
	return severityNames[s]
}

var shortNames = [...]string{"?", "wrong unsat", "wrong sat", "crash", "crash, options", "other", "undocumented"}

// Short returns a name for a column of a table.
func (s Severity) Short() string {
	if int(s) >= len(shortNames) {
		return shortNames[0]
	}
	return shortNames[s]
}

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the format of MarshalText.
func (s *Severity) UnmarshalText(text []byte) error {
	for i, n := range severityNames {
		if n == string(text) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no severity", text)
}

// Setting is the mildest configuration that shows a finding; less is milder.
type Setting uint8

// The settings.
const (
	SafeSetting    Setting = iota + 1 // a configuration that the developers of the solver vouch for
	DefaultSetting                    // the program and the file, which sets no option
	OneOption                         // one option, on the command line or in the file
	SeveralOptions                    // more
)

var settings = [...]string{"unknown", "safe", "default", "one option", "several options"}

// String returns the name of the setting.
func (s Setting) String() string {
	if int(s) >= len(settings) {
		return settings[0]
	}
	return settings[s]
}

// SettingNamed returns the setting with a name. A configuration that only the profile of a solver knows is Safe. The
// name "" means an unknown setting, which is ordered after the known ones.
func SettingNamed(name string) Setting {
	switch name {
	case "":
		return Setting(len(settings))
	case settings[DefaultSetting], settings[OneOption], settings[SeveralOptions]:
		for i, n := range settings {
			if n == name {
				return Setting(i)
			}
		}
	}
	return SafeSetting
}

// WithOptions returns the setting of so many options.
func WithOptions(n int) Setting {
	switch {
	case n <= 0:
		return DefaultSetting
	case n == 1:
		return OneOption
	}
	return SeveralOptions
}

// SeverityOf returns the severity of a verdict that shows in a setting.
func SeverityOf(v *oracle.Verdict, s Setting) Severity {
	switch v.Severity { // the severity given by its oracle
	case shortNames[WrongUnsat]:
		return WrongUnsat
	case shortNames[WrongSat]:
		return WrongSat
	case shortNames[CrashByDefault]:
		return crash(s)
	case shortNames[Other]:
		return Other
	}
	switch v.Kind {
	case oracle.KindKnownAnswer, oracle.KindAssumedAnswer, oracle.KindDisagreement, oracle.KindMetamorphic:
		if v.Got == smtlib.Unsat {
			return WrongUnsat
		}
		return WrongSat
	case oracle.KindInvalidModel, oracle.KindInvalidValue, oracle.KindInvalidCore, oracle.KindInvalidReply:
		return WrongSat
	case oracle.KindCrash:
		return crash(s)
	}
	return Other
}

// crash returns the severity of a crash that shows in setting s.
func crash(s Setting) Severity {
	if s <= DefaultSetting {
		return CrashByDefault
	}
	return CrashWithOptions
}
