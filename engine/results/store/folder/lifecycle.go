package folder

import (
	"fmt"
	"time"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// VersionCheck is the result of the latest check of a finding with one version of a solver.
type VersionCheck struct {
	finding.Check
	Time time.Time `json:"time"`
}

// The states of a finding.
const (
	StatusOpen      = "open"
	StatusFixed     = "fixed"     // detail: the version
	StatusRegressed = "regressed" // it was fixed and is back; detail: the version that has it again
	StatusInvalid   = "invalid"   // no bug
	StatusDup       = "dup"       // detail: the number of the other one
)

// Statuses are all of them.
var Statuses = []string{StatusOpen, StatusFixed, StatusRegressed, StatusInvalid, StatusDup}

// StatusText is a status with its detail in words, such as "fixed in 4.13.3".
func StatusText(status, detail string) string {
	switch {
	case detail == "":
		return status
	case status == StatusFixed || status == StatusRegressed:
		return status + " in " + detail
	case status == StatusDup:
		return "a duplicate of " + detail
	}
	return status + " (" + detail + ")"
}

// Signed is a signature of a finding and why it belongs to it.
type Signed struct {
	triage.Signature
	Reason string `json:"reason"`
}

// OwnSignature is the reason of a signature that is the finding's own, as databases have it.
const OwnSignature = "its own"

// String returns the text of the signature, with the reason why it is counted at the finding where it is not its own.
func (s Signed) String() string {
	if s.Reason == OwnSignature {
		return s.Text
	}
	return fmt.Sprintf("%s (%s)", s.Text, s.Reason)
}
