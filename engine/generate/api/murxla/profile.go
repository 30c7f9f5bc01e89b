package murxla

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/solvers/rule"
)

// Profile is a profile of Murxla, translated to the fields of smtlark's profiles.
type Profile struct {
	Theories  []string // nil: not said
	Exclude   []rule.Lack
	Conflicts []rule.TheoryConflict
	Refusal   []string // regular expressions of errors that do not count as errors
	// Left are parts that have no counterpart here, in words.
	Left []string
}

// positions maps the places of Murxla's profiles to ours.
var positions = map[string]string{
	"array-index": "array-index", "array-element": "array-element", "bag-element": "bag-element",
	"datatype-selector-codomain": "datatype-field",
	"fun-domain":                 "fun-domain", "fun-codomain": "fun-codomain", "fun-sort-domain": "fun-domain",
	"fun-sort-codomain": "fun-codomain", "get-value": "get-value",
	"seq-element": "seq-element", "set-element": "set-element", "sort-param": "sort-param", "var": "var",
}

type profileFile struct {
	Theories struct {
		Include []string   `json:"include"`
		Exclude [][]string `json:"exclude-combinations"`
	} `json:"theories"`
	Operators struct {
		Exclude      []string            `json:"exclude"`
		Restrictions map[string][]string `json:"sort-restrictions"`
	} `json:"operators"`
	Sorts  map[string]json.RawMessage `json:"sorts"`
	Errors struct {
		Exclude []string `json:"exclude"`
		Filter  []string `json:"filter"`
	} `json:"errors"`
}

// ReadProfile reads a profile of Murxla: JSON with the parts theories, operators, sorts and errors. Parts without a
// counterpart are listed in Left and are no error.
func ReadProfile(text []byte) (*Profile, error) {
	var f profileFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("profile of Murxla: %w", err)
	}
	p := &Profile{Refusal: f.Errors.Exclude}
	for _, t := range f.Theories.Include {
		p.addTheory(t, func(long []string) { p.Theories = append(p.Theories, long...) })
	}
	if p.Theories != nil {
		p.Theories = append([]string{"Core"}, p.Theories...)
		if slices.Contains(p.Theories, "Ints") && slices.Contains(p.Theories, "Reals") {
			p.Theories = append(p.Theories, "Reals_Ints")
		}
		p.Theories = withoutRepeats(p.Theories)
	}
	for _, combination := range f.Theories.Exclude {
		var all []string
		for _, t := range combination {
			p.addTheory(t, func(long []string) { all = append(all, long[0]) })
		}
		// A combination with a theory that is not known here never comes up.
		if len(all) == len(combination) && len(all) > 1 {
			p.Conflicts = append(p.Conflicts, all)
		}
	}
	for _, op := range f.Operators.Exclude {
		p.addOperator(op, rule.Operator.Of)
	}
	for _, op := range slices.Sorted(maps.Keys(f.Operators.Restrictions)) {
		for _, k := range f.Operators.Restrictions[op] {
			if word := kinds[kindOf(k)]; word != "" {
				p.addOperator(op, func(operator string) rule.Lack { return rule.Argument.With(operator, word) })
			} else {
				p.noteLeftOut("the restriction of " + op + " by " + k)
			}
		}
	}
	if err := p.addSorts(f.Sorts); err != nil {
		return nil, fmt.Errorf("profile of Murxla: sorts: %w", err)
	}
	for _, x := range f.Errors.Filter {
		p.noteLeftOut(fmt.Sprintf("errors.filter %q: findings are grouped without it", x))
	}
	p.Exclude = withoutRepeats(p.Exclude)
	return p, nil
}

// withoutRepeats drops repeated entries.
func withoutRepeats[T comparable](list []T) (out []T) {
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func (p *Profile) noteLeftOut(what string) { p.Left = append(p.Left, what) }

func (p *Profile) addTheory(name string, use func(long []string)) {
	switch short := strings.TrimPrefix(strings.ToUpper(name), "THEORY_"); {
	case theories[short] != nil:
		use(theories[short])
	case short != "ALL":
		p.noteLeftOut("the theory " + name)
	}
}

// addOperator adds the lacks of an operator; those of datatypes, functions and binders have words of their own.
func (p *Profile) addOperator(op string, lack func(operator string) rule.Lack) {
	word := operatorOf(op)
	if word == "" {
		word = map[string]string{"DT_MATCH": "match", "DT_APPLY_UPDATER": "update", "FORALL": "forall", "EXISTS": "exists",
			"UF_APPLY": "apply"}[strings.TrimPrefix(strings.ToUpper(op), "OP_")]
	}
	if word == "" {
		p.noteLeftOut("the operator " + op)
		return
	}
	p.Exclude = append(p.Exclude, lack(word))
}

// addSorts reads a list of kinds under "exclude" and, for each place, an object with such a list.
func (p *Profile) addSorts(places map[string]json.RawMessage) error {
	for _, place := range slices.Sorted(maps.Keys(places)) {
		var list []string
		ours := ""
		if place == "exclude" {
			if err := json.Unmarshal(places[place], &list); err != nil {
				return fmt.Errorf("%s: %w", place, err)
			}
		} else {
			var x struct {
				Exclude []string `json:"exclude"`
			}
			if err := json.Unmarshal(places[place], &x); err != nil {
				return fmt.Errorf("%s: %w", place, err)
			}
			list = x.Exclude
			if ours = positions[place]; ours == "" {
				p.noteLeftOut("the sorts of " + place)
				continue
			}
		}
		for _, k := range list {
			switch word := kinds[kindOf(k)]; {
			case word != "":
				p.Exclude = append(p.Exclude, rule.Sort.With(word, ours))
			case kindOf(k) != "FUN": // sorts of functions are made nowhere
				p.noteLeftOut("the sort " + k + " of " + place)
			}
		}
	}
	return nil
}

// quoted spells texts.
func quoted(list []string) (out []string) {
	for _, x := range list {
		out = append(out, strconv.Quote(x))
	}
	return out
}

// Star returns the profile as a campaign file's solver.profile, with a base that has the rest.
func (p *Profile) Star(name, base string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\"\"\"The profile of Murxla, read by smtlark api import-profile.\"\"\"\n\n%s = solver.profile(\n    name = %q,\n    base = %q,\n    binaries = [],\n", identifierOf(name), name, base)
	var lacks, conflicts []string
	for _, l := range p.Exclude {
		lacks = append(lacks, rule.VersionedLack{Lack: l}.Call())
	}
	for _, c := range p.Conflicts {
		conflicts = append(conflicts, c.Call())
	}
	for _, f := range []struct {
		name     string
		elements []string
	}{{"theories", quoted(p.Theories)}, {"api_exclude", lacks}, {"api_conflicts", conflicts},
		{"refusal", quoted(p.Refusal)}} {
		if f.elements == nil {
			continue
		}
		fmt.Fprintf(&b, "    %s = [\n", f.name)
		for _, x := range f.elements {
			fmt.Fprintf(&b, "        %s,\n", x)
		}
		b.WriteString("    ],\n")
	}
	b.WriteString(")\n")
	for _, x := range p.Left {
		fmt.Fprintf(&b, "# Left out: %s.\n", x)
	}
	return b.String()
}

// identifierOf makes a name of Starlark.
func identifierOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}
