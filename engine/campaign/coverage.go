package campaign

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/gen"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// Claims are what API fuzzing can make for the targets of a campaign: names of operators and of actions, sorted.
type Claims struct {
	Operators []string `json:"operators"`
	Actions   []string `json:"actions"`
}

// APIStats says which operators and actions of API fuzzing came up, and which of them a target took. An operator was taken
// when a check-sat that comes after an assertion with it was answered; an action when its calls were answered without
// an error, or, where they are due no reply, a later check-sat was.
type APIStats struct {
	OperatorsClaimed int          `json:"operators_claimed" metric:"gauge" help:"operators that can be made for the targets"`
	OperatorsOK      int          `json:"operators_ok" metric:"gauge" help:"those of them that a target took"`
	ActionsClaimed   int          `json:"actions_claimed" metric:"gauge" help:"actions of the machine that the targets have"`
	ActionsOK        int          `json:"actions_ok" metric:"gauge" help:"those of them that a target took"`
	Operators        []CoverCount `json:"operators,omitempty" label:"operator" help:"by name: in how many cases tried, in how many taken"`
	Actions          []CoverCount `json:"actions,omitempty" label:"action" help:"by name: in how many cases tried, in how many taken, and how many calls were taken"`
}

// CoverCount counts the cases with an operator or an action.
type CoverCount struct {
	Name  string `json:"name" help:"of the operator or action"`
	Tried uint64 `json:"tried" metric:"counter" help:"cases that have it"`
	OK    uint64 `json:"ok" metric:"counter" help:"cases in which a target took it"`
	Calls uint64 `json:"calls,omitempty" metric:"counter" help:"calls of an action that targets took"`
}

// Never returns the names that no target took so far.
func Never(counts []CoverCount) []string {
	var out []string
	for i := range counts {
		if counts[i].OK == 0 {
			out = append(out, counts[i].Name)
		}
	}
	return out
}

// coverage counts in a worker; what was counted since the last report goes to the coordinator.
type coverage struct {
	Operators map[string][2]uint64 `json:"operators,omitempty"` // tried, taken
	Actions   map[string][2]uint64 `json:"actions,omitempty"`
	Calls     map[string]uint64    `json:"calls,omitempty"` // of actions, taken
}

// reached is what of a case a target saw.
type reached struct {
	operators, actions map[string]bool // true: taken
	calls              map[string]uint64
	seen               *smt.Stamps
	todo               []smt.Term
}

// add counts a case.
func (v *coverage) add(c *testcase.Case, runs []*solvers.Run) {
	t := c.LiveTrace()
	if t == nil {
		return
	}
	if v.Operators == nil {
		v.Operators, v.Actions, v.Calls = map[string][2]uint64{}, map[string][2]uint64{}, map[string]uint64{}
	}
	all := reached{operators: map[string]bool{}, actions: map[string]bool{}, calls: v.Calls}
	for _, r := range runs {
		all.seen = t.Arena.Stamps()
		all.run(t, r)
		all.seen.Free()
	}
	count := func(to map[string][2]uint64, from map[string]bool) {
		for name, ok := range from { // the order does not matter
			n := to[name]
			n[0]++
			if ok {
				n[1]++
			}
			to[name] = n
		}
	}
	count(v.Operators, all.operators)
	count(v.Actions, all.actions)
}

// run goes through the calls with what the target answered. What is due no reply waits for the next check-sat that was
// answered: solvers.Run has no answer where an earlier part of the problem was rejected.
func (x *reached) run(t *solvers.Trace, r *solvers.Run) {
	answers, values := 0, 0
	last := smtlib.None
	waiting := 0
	settle := func(upto int, ok bool) {
		for ; waiting < upto; waiting++ {
			if c := &t.Calls[waiting]; c.Kind != solvers.CallCommand || c.Instance != 0 || solvers.ReplyTo(c.Command.Kind, c.Command.Name) == solvers.NoReply {
				x.action(c, ok)
				x.terms(t.Arena, c, ok)
			}
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Kind != solvers.CallCommand || c.Instance != 0 {
			continue
		}
		if c.Command.Kind == smtlib.CmdReset || c.Command.Kind == smtlib.CmdResetAssertions {
			settle(i, false) // later answers say nothing about what was before
		}
		switch solvers.ReplyTo(c.Command.Kind, c.Command.Name) {
		case solvers.AnswerReply:
			last = smtlib.None
			if answers < len(r.Answers) {
				last = r.Answers[answers]
			}
			answers++
			x.action(c, last != smtlib.None)
			if last != smtlib.None {
				x.terms(t.Arena, c, true)
				settle(i, true)
			}
		case solvers.ValueReply:
			values++
			if c.When == smtlib.None || c.When == last {
				text := ""
				if values <= len(r.Values) {
					text = r.Values[values-1]
				}
				x.action(c, text != "" && !strings.HasPrefix(text, "(error") && text != "unsupported")
			}
		}
	}
	settle(len(t.Calls), r.Class == solvers.OK)
}

func (x *reached) action(c *solvers.Call, ok bool) {
	if c.Action != "" {
		x.actions[c.Action] = x.actions[c.Action] || ok
		if ok {
			x.calls[c.Action]++
		}
	}
}

// terms notes the operators of a call's terms.
func (x *reached) terms(a *smt.Arena, c *solvers.Call, ok bool) {
	if c.Kind != solvers.CallCommand {
		return
	}
	roots := c.Command.Terms
	for _, f := range c.Command.Symbols {
		if body := a.SymbolInfo(f).Body; body != 0 && c.Command.Kind != smtlib.CmdAssert {
			roots = append(slices.Clip(roots), body)
		}
	}
	x.todo = append(x.todo[:0], roots...)
	for len(x.todo) > 0 {
		t := x.todo[len(x.todo)-1]
		x.todo = x.todo[:len(x.todo)-1]
		if !x.seen.Add(t) {
			continue
		}
		if name := gen.OperatorName(a, t); name != "" && (ok || !x.operators[name]) {
			x.operators[name] = ok
		}
		x.todo = append(x.todo, a.Args(t)...)
	}
}

// begin lists what is claimed with counts of 0.
func (s *APIStats) begin(c *Claims) {
	if c == nil {
		return
	}
	list := func(names []string) (out []CoverCount) {
		for _, n := range names {
			out = append(out, CoverCount{Name: n})
		}
		return out
	}
	s.Operators, s.Actions = list(c.Operators), list(c.Actions)
	s.OperatorsClaimed, s.ActionsClaimed = len(c.Operators), len(c.Actions)
}

// add takes in what a worker counted. What is not claimed, as the operators of a case of another technique, is left out.
func (s *APIStats) add(v *coverage) {
	if v == nil {
		return
	}
	merge := func(to []CoverCount, from map[string][2]uint64) (ok int) {
		for name, n := range from { // the order does not matter
			if i, found := slices.BinarySearchFunc(to, name, func(c CoverCount, name string) int { return cmp.Compare(c.Name, name) }); found {
				to[i].Tried += n[0]
				to[i].OK += n[1]
			}
		}
		return len(to) - len(Never(to))
	}
	for i := range s.Actions {
		s.Actions[i].Calls += v.Calls[s.Actions[i].Name]
	}
	s.OperatorsOK, s.ActionsOK = merge(s.Operators, v.Operators), merge(s.Actions, v.Actions)
}
