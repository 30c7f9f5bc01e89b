package value

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
)

// A seed's label is what is said of its answer, and nobody has proven it: by the :status of the file, else by the name of the
// folder that it lies in, else by the campaign.

// labelled is a seed source that knows of a label beside the text.
type labelled interface {
	// Label returns the answer, None where there is no label, and who says so.
	Label() (answer smtlib.Answer, by string)
}

// SeedInfo returns the logic and the label of a seed without parsing it: "sat", "unsat", or what its :status says else, ""
// where there is none.
func SeedInfo(src SeedSource, text []byte) (logic, status string) {
	logic, status = HeadInfo(text)
	if status == "sat" || status == "unsat" {
		return logic, status
	}
	if l, ok := src.(labelled); ok {
		if answer, _ := l.Label(); answer.Decided() {
			return logic, answer.String()
		}
	}
	return logic, status
}

// Label is that of the nearest folder called sat or unsat.
func (f FileSeed) Label() (answer smtlib.Answer, by string) {
	folders := strings.Split(path.Dir(f.Path), "/")
	slices.Reverse(folders)
	for _, name := range folders {
		if a, ok := smtlib.ParseAnswer(name); ok && a.Decided() {
			return a, fmt.Sprintf("the folder %s/ that %s lies in", name, f.Path)
		}
	}
	return smtlib.None, ""
}

// trustedSeed is a seed that a campaign takes to have an answer where neither its :status nor its folder says anything.
type trustedSeed struct {
	SeedSource
	answer smtlib.Answer
}

// Key implements SeedSource.
func (t trustedSeed) Key() string { return t.SeedSource.Key() + "\x00" + t.answer.String() }

// Label implements labelled.
func (t trustedSeed) Label() (answer smtlib.Answer, by string) {
	if l, ok := t.SeedSource.(labelled); ok {
		if answer, by = l.Label(); answer.Decided() {
			return answer, by
		}
	}
	return t.answer, fmt.Sprintf("the campaign, which takes seeds without a status for %s", t.answer)
}

// Trust returns the corpus whose seeds without a label are taken to have the answer.
func (c *Corpus) Trust(answer smtlib.Answer) *Corpus {
	out := &Corpus{source: c.source, broken: slices.Clone(c.broken), hint: c.hint}
	for _, src := range c.seeds {
		out.seeds = append(out.seeds, trustedSeed{src, answer})
	}
	return out
}

// countLabel adds a seed to what is known of the labels of all.
func countLabel(n *finding.Labels, src SeedSource, text []byte) {
	if _, status := HeadInfo(text); status == "sat" || status == "unsat" {
		n.Status++
		return
	}
	t, trusted := src.(trustedSeed)
	if trusted {
		src = t.SeedSource
	}
	if l, ok := src.(labelled); ok {
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

// labelSeed fills in what is said of the answers of a seed whose text says nothing, and on whose word.
func labelSeed(c *Case, src SeedSource) {
	if c.tc.Expect != nil {
		return
	}
	l, ok := src.(labelled)
	if !ok {
		return
	}
	answer, by := l.Label()
	n := c.tc.Script.CheckSats()
	if _, trusted := src.(trustedSeed); !answer.Decided() || n != 1 && !trusted { // a folder does not say which check it means
		return
	}
	c.tc.Expect = make([]smtlib.Answer, n)
	for i := range c.tc.Expect {
		c.tc.Expect[i] = answer
	}
	c.tc.Origin = c.tc.Origin.Assume(by)
}

// Named returns the seed that has a name, read anew, with what its label says of its answers.
func (c *Corpus) Named(name string) (*testcase.Case, error) {
	for _, src := range c.seeds {
		if src.Name() == name {
			k, err := NewSession().Seed(src)
			if err != nil {
				return nil, err
			}
			return k.Case()
		}
	}
	return nil, fmt.Errorf("%s is no seed of %s", name, c.source)
}
