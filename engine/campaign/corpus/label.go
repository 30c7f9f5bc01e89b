package corpus

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// A seed's label is an unproven claim about its answer: the :status of the file, or else the name of its folder, or
// else the claim of the campaign.

// Labelled is a seed with a label that is not in its text.
type Labelled interface {
	// Label returns the answer, None where there is no label, and who says so.
	Label() (answer smtlib.Answer, by string)
}

// labelInfo returns the logic and the label of a seed without parsing it: "sat", "unsat", or what its :status says
// else, "" where there is none.
func labelInfo(src Seed, text []byte) (logic, status string) {
	logic, status = headInfo(text)
	if status == "sat" || status == "unsat" {
		return logic, status
	}
	if l, ok := src.(Labelled); ok {
		if answer, _ := l.Label(); answer.Decided() {
			return logic, answer.String()
		}
	}
	return logic, status
}

// Label is that of the nearest folder called sat or unsat.
func (f File) Label() (answer smtlib.Answer, by string) {
	folders := strings.Split(path.Dir(f.Path), "/")
	slices.Reverse(folders)
	for _, name := range folders {
		if a, ok := smtlib.ParseAnswer(name); ok && a.Decided() {
			return a, fmt.Sprintf("the folder %s/ that %s lies in", name, f.Path)
		}
	}
	return smtlib.None, ""
}

// trustedSeed is a seed whose answer the campaign asserts, if neither its :status nor its folder says one.
type trustedSeed struct {
	Seed
	answer smtlib.Answer
}

// Key implements Seed.
func (t trustedSeed) Key() string { return t.Seed.Key() + "\x00" + t.answer.String() }

// Label implements Labelled.
func (t trustedSeed) Label() (answer smtlib.Answer, by string) {
	if l, ok := t.Seed.(Labelled); ok {
		if answer, by = l.Label(); answer.Decided() {
			return answer, by
		}
	}
	return t.answer, fmt.Sprintf("the campaign, which takes seeds without a status for %s", t.answer)
}

// countLabel adds a seed to the known facts about the labels of all.
func countLabel(n *finding.Labels, src Seed, text []byte) {
	if _, status := headInfo(text); status == "sat" || status == "unsat" {
		n.Status++
		return
	}
	t, trusted := src.(trustedSeed)
	if trusted {
		src = t.Seed
	}
	if l, ok := src.(Labelled); ok {
		if answer, _ := l.Label(); answer.Decided() {
			n.Folder++
			return
		}
	}
	if trusted {
		n.Trusted++
	} else {
		n.Unknown++
	}
}

// IsTrusted reports whether the seed's label comes from the campaign, because neither its text nor its folder has one.
func IsTrusted(src Seed) bool {
	_, trusted := src.(trustedSeed)
	return trusted
}
