package solvers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Facts lists features that a build of a solver was found to accept or refuse, contrary to its profile. They take
// precedence over the profile.
type Facts struct {
	// Theories are the theories that the solver accepts, if its profile names none.
	Theories []string `json:"theories,omitempty"`
	// Takes lists entries of the profile's api_exclude that the solver takes all the same.
	Takes []rule.Lack `json:"takes,omitempty"`
	// Refuses lists entries that api_exclude lacks.
	Refuses []Refused `json:"refuses,omitempty"`
	// Dies lists questions that ended the solver. Whatever the reason, each is worth a case.
	Dies []Refused `json:"dies,omitempty"`
	// Refusals are regular expressions of refusals in words that the profile does not know.
	Refusals []string `json:"refusals,omitempty"`
	// Unanswered lists questions that the solver did not answer within its limit of processor time per question.
	// Unasked is the number of further questions, which were not asked because there would have been too many. For all
	// of these, the profile decides.
	Unanswered []Refused `json:"unanswered,omitempty"`
	Unasked    int       `json:"unasked,omitempty"`
}

// Refused is a question that a solver did not take.
type Refused struct {
	Lack    rule.Lack `json:"line"`
	Message string    `json:"message"`          // the solver's message
	Script  string    `json:"script,omitempty"` // the question, if it ended the solver
}

// Merge applies the facts to the lacks of the solver's profile. Nil facts change nothing.
func (f *Facts) Merge(lacks []rule.Lack) []rule.Lack {
	if f == nil {
		return lacks
	}
	out := slices.DeleteFunc(slices.Clone(lacks), func(l rule.Lack) bool { return slices.Contains(f.Takes, l) })
	for i := range f.Refuses {
		if l := f.Refuses[i].Lack; !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// Learned returns the solver with the facts added to its profile: the refusals, the theories if the profile named none,
// whether declarations outlive a pop, whether the solver has reset, and the kinds of sorts for which it gives no model.
func (s *Solver) Learned(f *Facts) *Solver {
	if f == nil || s.Profile == nil {
		return s
	}
	scoped, kinds := !f.refuses(rule.Feature.Of(rule.ScopedDeclarations)), f.kindsWithoutModel()
	resets := s.Profile.HasReset && f.refuses(rule.Action.Of("reset"))
	if scoped && !resets && kinds == nil && len(f.Refusals) == 0 && (len(f.Theories) == 0 || len(s.Profile.Theories) > 0) {
		return s
	}
	p := &Profile{}
	copyFields(p, s.Profile)
	if len(p.Theories) == 0 {
		p.Theories = f.Theories
	}
	if resets { // (reset) gives an error, so the next case would be added to the last one
		p.HasReset = false
	}
	if !scoped {
		p.OutlivesPop = slices.Concat(p.OutlivesPop, declaring)
	}
	p.NoModelsOf = slices.Concat(p.NoModelsOf, kinds)
	p.Refusal = slices.Concat(p.Refusal, f.Refusals)
	if p.Validate() != nil { // invalid facts must not make the profile invalid
		return s
	}
	out := *s
	out.Profile = p
	return &out
}

// declaring lists the beginnings of the commands that declare or define symbols.
var declaring = []string{"(declare-", "(define-"}

// kindsWithoutModel returns the kinds of sorts for which the solver gives no model, because it refuses to or because it
// dies.
func (f *Facts) kindsWithoutModel() (kinds []string) {
	for _, r := range slices.Concat(f.Refuses, f.Dies) {
		if r.Lack.Kind == rule.Sort && r.Lack.With == "get-model" {
			kinds = append(kinds, r.Lack.Of)
		}
	}
	return kinds
}

// refuses reports whether the solver said that it lacks something.
func (f *Facts) refuses(l rule.Lack) bool {
	return slices.ContainsFunc(f.Refuses, func(r Refused) bool { return r.Lack == l })
}

var (
	quotedName = pattern.Lazy("'[^']*'|`[^`']*[`']|\\\\\"[^\"]*\\\\\"|\"[^\"]*\"|\\|[^|]*\\|")
	anyNumber  = pattern.Lazy(`\d+`)
)

// GeneralMessage returns a regular expression that matches a message with any numbers. It also matches any names where
// the message quotes a name or has one from the question.
func GeneralMessage(message, question string) string {
	names := map[string]bool{}
	for _, word := range strings.FieldsFunc(question, func(c rune) bool { return strings.ContainsRune("() \t\n", c) }) {
		names[word] = true
	}
	words := strings.Split(quotedName().ReplaceAllString(message, "\x00"), " ")
	for i, word := range words {
		if core := strings.Trim(word, ",.:;()"); names[core] && core != "" {
			word = strings.Replace(word, core, "\x00", 1)
		}
		word = anyNumber().ReplaceAllString(word, "\x01")
		words[i] = strings.NewReplacer("\x00", ".+", "\x01", `\d+`).Replace(regexp.QuoteMeta(word))
	}
	return strings.Join(words, " ")
}
