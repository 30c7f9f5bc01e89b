package solver

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// RuleCall returns the call that makes the rule of a line of a field of profiles; "" where the field takes texts, or the line is no rule.
func RuleCall(field, line string) string {
	name := ruledFields[field]
	call := func(args ...string) string { return name + "(" + strings.Join(args, ", ") + ")" }
	words := strings.Fields(line)
	before, after, isPair := strings.Cut(line, ": ")
	switch {
	case len(words) == 0 || name == "":
		return ""
	case field == "api_exclude" || field == "api_avoid":
		return lackCall(line, "")
	case field == "configuration_exclude" && isPair:
		return lackCall(after, before)
	case field == "api_options" && len(words) > 1:
		return optionCall(words)
	case field == "api_limits" && len(words) == 3:
		return call(quote(words[0]), fmt.Sprintf("between = (%s, %s)", words[1], words[2]))
	case field == "api_conflicts" && len(words) == 2, field == "api_values" && len(words) == 2:
		return call(quote(words[0]), quote(words[1]))
	case field == "contracts" && isPair, field == "configurations" && isPair:
		return call(quote(before), listOf(strings.Fields(after)))
	case field == "api_operators":
		rest := strings.TrimPrefix(line, words[0]+" (")
		depth := 1
		for i, r := range rest {
			if r == '(' {
				depth++
			} else if r == ')' {
				if depth--; depth == 0 && !strings.ContainsAny(rest[:i], "()") {
					return call(quote(words[0]), "args = "+listOf(strings.Fields(rest[:i])), "result = "+quote(strings.TrimSpace(rest[i+1:])))
				}
			}
		}
	}
	return ""
}

// lackCall returns the call of solver.lacks for a line of api_exclude.
func lackCall(line, configuration string) string {
	var args []string
	add := func(name, value string) { args = append(args, name+" = "+quote(value)) }
	// From the end: what qualifies a rule is written behind what it says.
	rest, overText := strings.CutSuffix(line, " over text")
	rest, since, _ := strings.Cut(rest, " since ")
	rest, limit, _ := strings.Cut(rest, " before ")
	what, of, _ := strings.Cut(rest, " ")
	operator, more, _ := strings.Cut(of, " ")
	switch {
	case slices.Contains(features, rest):
		add("feature", rest)
	case slices.Contains(placesOfSorts, what):
		add("sort", of)
		add("place", what)
	case what == "nary":
		add("operator", of)
		args = append(args, "many_arguments = True")
	case what == "argument" || what == "index" || what == "signature":
		add("operator", operator)
		add(what, more)
	case what == "conflict":
		args = append(args, "conflict = "+listOf(strings.Fields(of)))
	case what == "logic-all":
		args = append(args, "logic_all = "+listOf(strings.Split(of, "+")))
	case slices.Contains([]string{"operator", "theory", "sort", "fp-format", "action", "option", "logic", "bit-vector-arrays", "always", "once"}, what) && of != "":
		add(strings.ReplaceAll(what, "-", "_"), of)
	default:
		return ""
	}
	if limit != "" {
		add("before", limit)
	}
	if since != "" {
		add("since", since)
	}
	if overText {
		args = append(args, "over_text = True")
	}
	if configuration != "" {
		add("configuration", configuration)
	}
	return "solver.lacks(" + strings.Join(args, ", ") + ")"
}

// optionCall returns the call of solver.option for the words of a line of api_options.
func optionCall(words []string) string {
	args := []string{quote(words[0])}
	rest := words[2:]
	switch {
	case words[1] == "int" && len(rest) >= 2:
		args, rest = append(args, fmt.Sprintf("between = (%s, %s)", rest[0], rest[1])), rest[2:]
	case words[1] == "list" && len(rest) >= 1:
		args, rest = append(args, "values = "+listOf(strings.Split(rest[0], ","))), rest[1:]
	case words[1] != "bool":
		return ""
	}
	var along []string
	for len(rest) >= 2 && rest[0] == "with" {
		name, value, _ := strings.Cut(rest[1], "=")
		along, rest = append(along, quote(name)+": "+quote(value)), rest[2:]
	}
	if len(along) > 0 {
		args = append(args, "along = {"+strings.Join(along, ", ")+"}")
	}
	if len(rest) == 1 && rest[0] == "expert" {
		args, rest = append(args, "expert = True"), nil
	}
	if len(rest) > 0 {
		return ""
	}
	return "solver.option(" + strings.Join(args, ", ") + ")"
}

// checkRules looks at the rules of a profile: each has to be in a field that takes it. It returns what to tell the author of
// texts in the place of rules, which a later version does not take any more.
func checkRules(kwargs map[string]starlark.Value) (warnings []string, err error) {
	for _, field := range keywordOrder(kwargs) {
		list, ok := kwargs[field].(starlark.Iterable)
		if !ok {
			continue
		}
		old, example, count := "", "", 0
		i := -1
		for v := range starlark.Elements(list) {
			i++
			if x, ok := v.(*rule); ok {
				if !slices.Contains(x.fields, field) {
					return nil, fmt.Errorf("for keyword %s: element %d: %s is for %s", field, i, x, strings.Join(x.fields, ", "))
				}
				continue
			}
			if text, ok := starlark.AsString(v); ok {
				if call := RuleCall(field, text); call != "" {
					if count++; count == 1 {
						old, example = text, call
					}
				}
			}
		}
		if count > 0 {
			warnings = append(warnings, fmt.Sprintf("warning: %s: texts are taken for one more release only: in the place of %s write %s (%d such)", field, quote(old), example, count))
		}
	}
	return warnings, nil
}

func keywordOrder(kwargs map[string]starlark.Value) []string {
	var names []string
	for name := range kwargs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
