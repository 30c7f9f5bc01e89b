package solvers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/expression"
)

// Action is a command of one kind of solver that walks of API fuzzing may call: data of its profile.
type Action struct {
	Name     string   `star:"name" doc:"its name in statistics and in lines such as \"action NAME\" of api_exclude"`
	Doc      string   `star:"doc" doc:"one line about it"`
	Commands []string `star:"command" doc:"the command, or several, one of which is used in each call. {formula} stands for a formula of the walk, {goal} for one that mostly holds, {term} for any term, {name} for a new name"`
	State    string   `star:"state" doc:"the state of the machine in which it can be called, such as sat"`
	Next     string   `star:"next" doc:"the state after it; empty: the state stays the same"`
	Weight   float64  `star:"weight" doc:"how often it is called, as for state.add"`
	// Option must be true before the call; a walk sets it to true with probability Probability.
	Option      string  `star:"option" doc:"the option that it needs: a walk sets it to true with the given probability"`
	Probability float64 `star:"probability" doc:"probability that a walk sets the option"`

	NeedsModel     bool `star:"needs_model" doc:"it can be called only while the solver still has a model, with produce-models"`
	SpendsModel    bool `star:"spends_model" doc:"after it, the solver no longer has a model"`
	ChangesProblem bool `star:"changes_problem" doc:"after it, later answers are not known, so only walks with truth = None call it"`
}

// placeholders are the words in braces that can stand in the command of an action.
var placeholders = []string{"formula", "goal", "term", "name"}

// ownCommands are the commands that change or query the problem. The machine has its own actions for them, so no Action
// may use them.
var ownCommands = []string{"assert", "push", "pop", "reset", "reset-assertions", "check-sat", "check-sat-assuming",
	"set-option", "set-logic", "exit"}

// Expression returns the call in a campaign file that makes the action.
func (a *Action) Expression() string {
	call := expression.NewCall("solver.action").Text("", a.Name)
	if len(a.Commands) > 1 {
		call.List("", a.Commands)
	} else {
		call.Text("", a.Commands[0])
	}
	text := func(name, value string) {
		if value != "" {
			call.Text(name, value)
		}
	}
	number := func(name string, value float64) { call.Set(name, strconv.FormatFloat(value, 'g', -1, 64)) }
	text("doc", a.Doc)
	text("state", a.State)
	text("next", a.Next)
	number("weight", a.Weight)
	if a.Option != "" {
		text("option", a.Option)
		number("probability", a.Probability)
	}
	return call.Flag("needs_model", a.NeedsModel).Flag("spends_model", a.SpendsModel).
		Flag("changes_problem", a.ChangesProblem).String()
}

// Validate describes the error in an action.
func (a *Action) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("action %q: %s", a.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case a.Name == "" || strings.ContainsAny(a.Name, " \t\n\"()"):
		return bad("want a name without spaces, such as \"get-abduct\"")
	case len(a.Commands) == 0:
		return bad("it has no command")
	case a.State == "":
		return bad("state: want the state of the machine in which it can be called, such as \"sat\"")
	case a.Weight < 0:
		return bad("weight: %v is negative", a.Weight)
	case a.Probability < 0 || a.Probability > 1:
		return bad("probability: %v is not between 0 and 1", a.Probability)
	case a.Option == "" && a.Probability != 0:
		return bad("probability: it has no option")
	}
	for _, text := range a.Commands {
		if err := checkCommand(text); err != nil {
			return bad("command: %q: %v", text, err)
		}
	}
	return nil
}

func checkCommand(text string) error {
	open := 0
	for i, r := range text {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		if open < 0 || open == 0 && i+1 < len(text) {
			return fmt.Errorf("want one command in parentheses")
		}
	}
	name := CommandName(text)
	if open != 0 || name == "" {
		return fmt.Errorf("want one command in parentheses")
	}
	for _, own := range ownCommands {
		if name == own {
			return fmt.Errorf("%s is an action of the machine itself", name)
		}
	}
	// The machine must know all declarations, to use the symbols in terms.
	if strings.HasPrefix(name, "declare-") || strings.HasPrefix(name, "define-") {
		return fmt.Errorf("declarations are actions of the machine itself")
	}
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return nil
		}
		word, tail, closed := strings.Cut(after, "}")
		known := false
		for _, p := range placeholders {
			known = known || p == word
		}
		if !closed || !known {
			return fmt.Errorf("{%s} stands for nothing; there are {%s}", word, strings.Join(placeholders, "}, {"))
		}
		rest = tail
	}
}
