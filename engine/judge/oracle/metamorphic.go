package oracle

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Relation is the relation between a case and its seed that follows from how the case was made. It is compared with a
// solver's own answers to the two (metamorphic testing: Chen, Cheung and Yiu, 1998), so no answer has to be known.
type Relation string

// The relations.
const (
	Equisatisfiable Relation = "equisatisfiable" // both have the same answer
	Equivalent      Relation = "equivalent"      // both have the same models
	Stronger        Relation = "stronger"        // each model of the case is one of the seed: an unsat seed makes unsat cases
	Weaker          Relation = "weaker"          // each model of the seed is one of the case: a sat seed makes sat cases
	// RelationScripted is a relation that an oracle of a campaign file defines.
	RelationScripted Relation = "scripted"
)

// Relations are those that Metamorphic takes.
func Relations() []Relation { return []Relation{Equisatisfiable, Equivalent, Stronger, Weaker} }

// RelationNames lists the relations for messages.
func RelationNames() string {
	var names []string
	for _, r := range Relations() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// Contradicted reports whether an answer to the seed and one to the case cannot both be right.
func (r Relation) Contradicted(seed, answer smtlib.Answer) bool {
	switch {
	case !seed.Decided() || !answer.Decided() || seed == answer:
		return false
	case r == Stronger:
		return seed == smtlib.Unsat
	case r == Weaker:
		return seed == smtlib.Sat
	}
	return true
}

// Carries reports whether a model of the script that was answered sat must be a model of the other one, too.
func (r Relation) Carries() bool { return r == Equivalent || r == Stronger || r == Weaker }

// maxSeedRuns bounds how many runs of seeds are remembered.
const maxSeedRuns = 512

// SeedRuns asks targets about the seeds of cases: each about each seed once, in a new process with its own options. It
// is used by one goroutine at a time.
type SeedRuns struct {
	ask   AskFunc
	runs  map[seedQuestion]*solvers.Run
	order []seedQuestion // the oldest first
}

type seedQuestion struct {
	target string
	models bool
	text   [sha256.Size]byte
}

// NewSeedRuns returns a SeedRuns that asks targets by ask.
func NewSeedRuns(ask AskFunc) *SeedRuns {
	return &SeedRuns{ask: ask, runs: map[seedQuestion]*solvers.Run{}}
}

// Of returns the run of a target on the seed of a case, and notes that the two were compared; nil if the case has no
// seed or the target cannot be asked. If the case was read back to confirm or replay a verdict, Of runs the seed again.
func (s *SeedRuns) Of(c *testcase.Case, target string, models bool) *solvers.Run {
	seed := c.Origin.SeedScript
	if seed == nil {
		return nil
	}
	script, err := seed.Script()
	if err != nil {
		return nil
	}
	c.Origin.Compared = true
	key := seedQuestion{target, models, sha256.Sum256([]byte(seed.Text()))}
	if run := s.runs[key]; run != nil && !seed.Restored {
		return run
	}
	q := solvers.FromScript(script)
	if models {
		q = q.WithModel()
	}
	run := s.ask(target, q, solvers.Limits{})
	if run == nil || seed.Restored {
		return run
	}
	if s.runs[key] = run; len(s.order) == maxSeedRuns {
		delete(s.runs, s.order[0])
		s.order = slices.Delete(s.order, 0, 1)
	}
	s.order = append(s.order, key)
	return run
}

// Metamorphic reports solvers whose answers to a case and to its seed contradict each other, given the relation of the
// two. Check-sats are compared one by one where both have as many; where the case has one, it is compared with the last
// one of the seed. Cases that were made of no seed, or of several, are not judged.
func Metamorphic(relation Relation, seeds *SeedRuns) Oracle { return &metamorphic{relation, seeds} }

type metamorphic struct {
	relation Relation
	seeds    *SeedRuns
}

func (*metamorphic) Name() string { return KindMetamorphic }

func (o *metamorphic) Judge(c *testcase.Case, runs []*solvers.Run) []Verdict {
	if c.Origin.SeedScript == nil {
		return nil
	}
	return EachKind(runs, func(r *solvers.Run) *Verdict {
		if !slices.ContainsFunc(r.Answers, smtlib.Answer.Decided) {
			return nil
		}
		of := o.seeds.Of(c, r.Target, false)
		if of == nil {
			return nil
		}
		for i, got := range r.Answers {
			k := CheckOfSeed(len(of.Answers), len(r.Answers), i)
			if k < 0 {
				return nil
			}
			want := answerAt(of, k)
			if !o.relation.Contradicted(want, got) {
				continue
			}
			said := fmt.Sprintf("seed: %s, mutant: %s", want, got)
			return &Verdict{
				Oracle: o.Name(), Kind: KindMetamorphic, Relation: o.relation, Got: got, Want: want, Check: i, Message: said,
				Summary: fmt.Sprintf("the solver contradicts itself%s: %s; %s", checkText(c, i), said, o.relation.Words()),
				Detail:  fmt.Sprintf("seed    %s\nmutant  %s\nmade by: %s\n", Outcome(of), Outcome(r), strings.Join(c.Origin.Steps, ", ")),
			}
		}
		return nil
	})
}

// RelateByModel notes that a model is known to satisfy both the case and its seed: both are sat, whatever held between
// them before.
func (v *Verdict) RelateByModel() {
	v.Summary = strings.Replace(v.Summary, v.Relation.Words(), Equisatisfiable.Words(), 1)
	v.Relation = Equisatisfiable
}

// SettleRelation notes that the script that was answered unsat, be it the case or its seed, is sat: a model, which
// somebody gave, satisfies it by exact evaluation.
func (v *Verdict) SettleRelation(by string) {
	v.Settled = true
	v.Summary += fmt.Sprintf("; unsat is wrong: the model of %s satisfies both", by)
}

// CheckOfSeed returns the number of the seed's check-sat that check i of a case is compared with; -1 if there is none.
// seed and checks are the numbers of check-sats that the seed and the case have.
func CheckOfSeed(seed, checks, i int) int {
	switch {
	case seed == checks:
		return i
	case checks == 1:
		return seed - 1
	}
	return -1
}

// Words explains a relation in terms of models.
func (r Relation) Words() string {
	switch r {
	case Equivalent:
		return "the two have the same models"
	case Stronger:
		return "each model of the mutant is one of the seed"
	case Weaker:
		return "each model of the seed is one of the mutant"
	}
	return "the two have the same answer"
}
