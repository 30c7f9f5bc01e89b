// Package rule has what profiles say in lists of rules, such as api_exclude: a line for each, and the call of a
// campaign file that makes the line, solver.lacks(operator = "bvnego", before = "4.13").
package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/expression"
)

// ConfigurationField is the field of profiles for what a kind of solver lacks in one configuration.
const ConfigurationField = "configuration_exclude"

// LackFields are the fields of profiles for what it lacks otherwise.
var LackFields = []string{"api_exclude", "api_avoid"}

// makers are the functions of campaign files that make the rules of a field.
var makers = map[string]string{
	"api_exclude": "solver.lacks", "api_avoid": "solver.lacks", ConfigurationField: "solver.lacks", "api_options": "solver.option", "api_limits": "solver.limit",
	"api_conflicts": "solver.conflict", "api_operators": "solver.operator", "api_values": "solver.value", "contracts": "solver.contract", "configurations": "solver.configuration",
}

// CallOf returns the call that makes the rule of a line of a field of profiles; "" where the field takes texts, or
// the line is no rule.
func CallOf(field, line string) string {
	words := strings.Fields(line)
	before, after, isPair := strings.Cut(line, ": ")
	call := expression.NewCall(makers[field])
	switch {
	case len(words) == 0 || makers[field] == "":
		return ""
	case slices.Contains(LackFields, field):
		return callOf(ParseRule(line))
	case field == ConfigurationField:
		return callOf(ParseConfigured(line))
	case field == "api_options" && len(words) > 1:
		return callOfOption(words)
	case field == "api_limits" && len(words) == 3:
		return call.Text("", words[0]).Set("between", fmt.Sprintf("(%s, %s)", words[1], words[2])).String()
	case field == "api_conflicts" && len(words) == 2, field == "api_values" && len(words) == 2:
		return call.Text("", words[0]).Text("", words[1]).String()
	case field == "contracts" && isPair, field == "configurations" && isPair:
		return call.Text("", before).List("", strings.Fields(after)).String()
	case field == "api_operators":
		if arguments, result, ok := argumentSorts(strings.TrimPrefix(line, words[0]+" (")); ok {
			return call.Text("", words[0]).List("args", strings.Fields(arguments)).Text("result", result).String()
		}
	}
	return ""
}

// callOf returns the call of a rule that was read; "" where it was none.
func callOf(r Rule, err error) string {
	if err != nil {
		return ""
	}
	return r.Call()
}

// argumentSorts parts the text behind "NAME (" in a line of api_operators: the sorts of the arguments, and that of
// the result.
func argumentSorts(text string) (arguments, result string, ok bool) {
	depth := 1
	for i, r := range text {
		if r == '(' {
			depth++
		} else if r == ')' {
			// Sorts of arguments are words: a parenthesis among them belongs to no line that these rules make.
			if depth--; depth == 0 && !strings.ContainsAny(text[:i], "()") {
				return text[:i], strings.TrimSpace(text[i+1:]), true
			}
		}
	}
	return "", "", false
}

// callOfOption returns the call of solver.option for the words of a line of api_options.
func callOfOption(words []string) string {
	call := expression.NewCall("solver.option").Text("", words[0])
	rest := words[2:]
	switch {
	case words[1] == "int" && len(rest) >= 2:
		call.Set("between", fmt.Sprintf("(%s, %s)", rest[0], rest[1]))
		rest = rest[2:]
	case words[1] == "list" && len(rest) >= 1:
		call.List("values", strings.Split(rest[0], ","))
		rest = rest[1:]
	case words[1] != "bool":
		return ""
	}
	var along []string
	for len(rest) >= 2 && rest[0] == "with" {
		name, value, _ := strings.Cut(rest[1], "=")
		along, rest = append(along, name, value), rest[2:]
	}
	if len(along) > 0 {
		call.Set("along", expression.Dict(along...))
	}
	if len(rest) == 1 && rest[0] == "expert" {
		call.Flag("expert", true)
		rest = nil
	}
	if len(rest) > 0 {
		return ""
	}
	return call.String()
}
