package metrics

import (
	"cmp"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// Refusals counts the runs that targets declined or rejected, and that are thus lost, by target, technique and message.
type Refusals []targetRefusals

// targetRefusals are those of one target.
type targetRefusals struct {
	Name       string              `json:"name" help:"of the target"`
	Techniques []TechniqueRefusals `json:"techniques" label:"technique" help:"by the technique that made the cases"`
}

// TechniqueRefusals are the runs of the cases of one technique on one target.
type TechniqueRefusals struct {
	Name     string    `json:"name" help:"of the technique"`
	Runs     uint64    `json:"runs" metric:"counter" help:"runs, those included for which the target was not even asked"`
	Declined uint64    `json:"declined" metric:"counter" help:"those that it declined: a logic, an operator or a command that it does not have"`
	Rejected uint64    `json:"rejected" metric:"counter" help:"those that it rejected as ill-formed, or with an error"`
	NotMeant uint64    `json:"not_meant,omitempty" metric:"counter" help:"cases of other targets that it was not asked about as a reference, since it lacks something of them; they are none of its runs"`
	Reasons  []Refused `json:"reasons,omitempty" help:"why, those first that cost most runs"`
}

// Refused counts the refusals in the same words.
type Refused struct {
	Class   string `json:"class" help:"unsupported, refusal, parse-error or solver-error"`
	Message string `json:"message" help:"what the target said, without numbers of lines and the like"`
	Runs    uint64 `json:"runs" help:"how often"`
	Case    uint64 `json:"case" help:"number of the first such case"`
}

// maxRefusals bounds the different wordings that are counted separately for one technique on one target.
const maxRefusals = 20

// Lost is the share of the runs that were declined or rejected.
func (r *TechniqueRefusals) Lost() float64 {
	return float64(r.Declined+r.Rejected) / float64(max(1, r.Runs))
}

// All is the sum of all techniques, by the name of the target: the same words of several techniques are one reason.
func (t *targetRefusals) All() TechniqueRefusals {
	all := TechniqueRefusals{Name: t.Name}
	for i := range t.Techniques {
		all.join(&t.Techniques[i])
	}
	return all
}

// of returns the row of a technique on a target.
func (r *Refusals) of(target, technique string) *TechniqueRefusals {
	i, found := slices.BinarySearchFunc(*r, target, func(x targetRefusals, name string) int { return cmp.Compare(x.Name, name) })
	if !found {
		*r = slices.Insert(*r, i, targetRefusals{Name: target})
	}
	rows := &(*r)[i].Techniques
	i, found = slices.BinarySearchFunc(*rows, technique, func(x TechniqueRefusals, name string) int { return cmp.Compare(x.Name, name) })
	if !found {
		*rows = slices.Insert(*rows, i, TechniqueRefusals{Name: technique})
	}
	return &(*rows)[i]
}

// Add counts the runs of a case. Targets named in notMeant were not asked: the case was made for other targets, and
// these lack something that it uses.
func (r *Refusals) Add(c *testcase.Case, runs []*solvers.Run, notMeant []string) {
	for _, name := range notMeant {
		r.of(name, c.Origin.Technique).NotMeant++
	}
	for _, run := range runs {
		row := r.of(run.Target, c.Origin.Technique)
		row.Runs++
		switch run.Class {
		case solvers.Unsupported, solvers.Refusal:
			row.Declined++
		case solvers.ParseError, solvers.SolverError:
			row.Rejected++
		default:
			continue
		}
		row.because(Refused{run.Class.String(), solvers.Normalize(run.Message), 1, c.Origin.Number})
	}
}

// because counts a reason.
func (r *TechniqueRefusals) because(x Refused) {
	i := slices.IndexFunc(r.Reasons, func(y Refused) bool { return x.Class == y.Class && x.Message == y.Message })
	switch {
	case i >= 0:
		r.Reasons[i].Runs += x.Runs
		r.Reasons[i].Case = min(r.Reasons[i].Case, x.Case)
	case len(r.Reasons) < maxRefusals:
		r.Reasons = append(r.Reasons, x)
	}
}

// Take returns the counts since it was last called.
func (r *Refusals) Take() Refusals {
	out := *r
	*r = nil
	return out
}

// Join adds the counts of a worker.
func (r *Refusals) Join(o Refusals) {
	for i := range o {
		for k := range o[i].Techniques {
			theirs := &o[i].Techniques[k]
			ours := r.of(o[i].Name, theirs.Name)
			ours.join(theirs)
		}
	}
}

// join adds the counts of another row, and puts the reasons first that cost most runs.
func (r *TechniqueRefusals) join(o *TechniqueRefusals) {
	r.Runs, r.Declined, r.Rejected, r.NotMeant = r.Runs+o.Runs, r.Declined+o.Declined, r.Rejected+o.Rejected, r.NotMeant+o.NotMeant
	for _, x := range o.Reasons {
		r.because(x)
	}
	slices.SortFunc(r.Reasons, func(a, b Refused) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Message, b.Message))
	})
}

// Clone returns a copy that shares nothing that changes.
func (r Refusals) Clone() Refusals {
	out := slices.Clone(r)
	for i := range out {
		out[i].Techniques = slices.Clone(out[i].Techniques)
		for k := range out[i].Techniques {
			out[i].Techniques[k].Reasons = slices.Clone(out[i].Techniques[k].Reasons)
		}
	}
	return out
}
