package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// APIStats says which operators and actions of API fuzzing came up, and which of them a target took. An operator was
// taken when a check-sat that comes after an assertion with it was answered; an action when its calls were answered
// without an error or, if they have no reply, when a later check-sat was answered.
type APIStats struct {
	OperatorsClaimed int          `json:"operators_claimed" metric:"gauge" help:"operators that can be made for the targets"`
	OperatorsOK      int          `json:"operators_ok" metric:"gauge" help:"those of them that a target took"`
	ActionsClaimed   int          `json:"actions_claimed" metric:"gauge" help:"actions of the machine that the targets have"`
	ActionsOK        int          `json:"actions_ok" metric:"gauge" help:"those of them that a target took"`
	Operators        []coverCount `json:"operators,omitempty" label:"operator" help:"by name: in how many cases tried, in how many taken"`
	Actions          []coverCount `json:"actions,omitempty" label:"action" help:"by name: in how many cases tried, in how many taken, and how many calls were taken"`
	Targets          []TargetTook `json:"targets,omitempty" label:"target" help:"the same of operators, for each target"`

	took map[string]*took // by target
}

// TargetTook says which operators one target takes of those that it was given.
type TargetTook struct {
	Name    string       `json:"name" help:"of the target"`
	Given   int          `json:"given" metric:"gauge" help:"operators that came up in its cases"`
	OK      int          `json:"ok" metric:"gauge" help:"those of them that it took"`
	Runs    uint64       `json:"runs" metric:"counter" help:"its runs of cases of API fuzzing"`
	Rejects []lostByName `json:"rejects,omitempty" label:"operator" help:"operators that it never took, those first that cost most runs"`
}

// lostByName counts the runs that were declined or rejected and have an operator that a target never took.
type lostByName struct {
	Name string `json:"name" help:"of the operator"`
	Runs uint64 `json:"runs" metric:"counter" help:"runs with it that the target declined or rejected"`
}

// took counts for one target: the runs with an operator, those in which it was taken, and those that were refused.
type took struct {
	Runs      uint64               `json:"runs"`
	Operators map[string][3]uint64 `json:"operators"`
}

// addRun counts a run that reached some operators. operators maps each of them to whether the run took it.
func (t *took) addRun(r *solvers.Run, operators map[string]bool) {
	t.Runs++
	refused := uint64(0)
	switch r.Class {
	case solvers.Refusal, solvers.Unsupported, solvers.ParseError, solvers.SolverError:
		refused = 1
	}
	for name, ok := range operators { // the order does not matter
		n := t.Operators[name]
		n[0]++
		if ok {
			n[1]++
		}
		n[2] += refused
		t.Operators[name] = n
	}
}

// joinCounts adds the counts of a worker.
func (t *took) joinCounts(o *took) {
	t.Runs += o.Runs
	for name, n := range o.Operators { // the order does not matter
		have := t.Operators[name]
		for i := range n {
			have[i] += n[i]
		}
		t.Operators[name] = have
	}
}

// enoughGiven is the number of times that a target must have been given an operator before the operator counts as not
// supported.
const enoughGiven = 3

// summarize reports the result of the counts.
func (t *took) summarize(name string) TargetTook {
	out := TargetTook{Name: name, Runs: t.Runs}
	for operator, n := range t.Operators { // sorted below
		out.Given++
		switch {
		case n[1] > 0:
			out.OK++
		case n[0] >= enoughGiven && n[2] > 0:
			out.Rejects = append(out.Rejects, lostByName{operator, n[2]})
		}
	}
	slices.SortFunc(out.Rejects, func(a, b lostByName) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// coverCount counts the cases with an operator or an action.
type coverCount struct {
	Name  string `json:"name" help:"of the operator or action"`
	Tried uint64 `json:"tried" metric:"counter" help:"cases that have it"`
	OK    uint64 `json:"ok" metric:"counter" help:"cases in which a target took it"`
	Calls uint64 `json:"calls,omitempty" metric:"counter" help:"calls of an action that targets took"`
}

// Never returns the names that no target took so far.
func Never(counts []coverCount) []string {
	var out []string
	for i := range counts {
		if counts[i].OK == 0 {
			out = append(out, counts[i].Name)
		}
	}
	return out
}

// Coverage counts in a worker; the counts since the last report go to the coordinator.
type Coverage struct {
	Operators map[string][2]uint64 `json:"operators,omitempty"` // tried, taken
	Actions   map[string][2]uint64 `json:"actions,omitempty"`
	Calls     map[string]uint64    `json:"calls,omitempty"` // of actions, taken
	Targets   map[string]*took     `json:"targets,omitempty"`
}

// reached is the part of a case that a target saw.
type reached struct {
	operators, actions map[string]bool // true: taken
	calls              map[string]uint64
	seen               *smt.Stamps
	todo               []smt.Term
}

// Add counts a case.
func (v *Coverage) Add(c *testcase.Case, runs []*solvers.Run) {
	t := c.LiveTrace()
	if t == nil {
		return
	}
	if v.Operators == nil {
		v.Operators, v.Actions, v.Calls, v.Targets = map[string][2]uint64{}, map[string][2]uint64{}, map[string]uint64{}, map[string]*took{}
	}
	all := reached{operators: map[string]bool{}, actions: map[string]bool{}, calls: v.Calls}
	for _, r := range runs {
		one := reached{operators: map[string]bool{}, actions: all.actions, calls: v.Calls, seen: t.Arena.Stamps()}
		one.noteRun(t, r)
		one.seen.Free()
		for name, ok := range one.operators { // the order does not matter
			all.operators[name] = all.operators[name] || ok
		}
		if v.Targets[r.Target] == nil {
			v.Targets[r.Target] = &took{Operators: map[string][3]uint64{}}
		}
		v.Targets[r.Target].addRun(r, one.operators)
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

// noteRun matches the calls with the target's answers. A call without a reply counts only when a later check-sat is
// answered: solvers.Run has no answer if an earlier part of the problem was rejected.
func (x *reached) noteRun(t *solvers.Trace, r *solvers.Run) {
	answers, values := 0, 0
	last := smtlib.None
	waiting := 0
	// Commands without reply count as taken once an answer came after them.
	settle := func(upto int, ok bool) {
		for ; waiting < upto; waiting++ {
			if c := &t.Calls[waiting]; c.Kind != solvers.CallCommand || c.Instance != 0 || solvers.ReplyTo(c.Command.Kind, c.Command.Name) == solvers.NoReply {
				x.noteAction(c, ok)
				x.noteOperators(t.Arena, c, ok)
			}
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Kind != solvers.CallCommand || c.Instance != 0 {
			continue
		}
		if c.Command.Kind == smtlib.CmdReset || c.Command.Kind == smtlib.CmdResetAssertions {
			settle(i, false) // later answers say nothing about earlier calls
		}
		switch solvers.ReplyTo(c.Command.Kind, c.Command.Name) {
		case solvers.AnswerReply:
			last = smtlib.None
			if answers < len(r.Answers) {
				last = r.Answers[answers]
			}
			answers++
			x.noteAction(c, last != smtlib.None)
			if last != smtlib.None {
				x.noteOperators(t.Arena, c, true)
				settle(i, true)
			}
		case solvers.ValueReply:
			values++
			if c.When == smtlib.None || c.When == last {
				text := ""
				if values <= len(r.Values) {
					text = r.Values[values-1]
				}
				x.noteAction(c, text != "" && !strings.HasPrefix(text, "(error") && text != "unsupported")
			}
		}
	}
	settle(len(t.Calls), r.Class == solvers.OK)
}

func (x *reached) noteAction(c *solvers.Call, ok bool) {
	if c.Action != "" {
		x.actions[c.Action] = x.actions[c.Action] || ok
		if ok {
			x.calls[c.Action]++
		}
	}
}

// noteOperators notes the operators of a call's terms.
func (x *reached) noteOperators(a *smt.Arena, c *solvers.Call, ok bool) {
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

// Begin lists the claimed operators and actions with counts of 0.
func (s *APIStats) Begin(c *finding.Claims) {
	if c == nil {
		return
	}
	list := func(names []string) (out []coverCount) {
		for _, n := range names {
			out = append(out, coverCount{Name: n})
		}
		return out
	}
	s.Operators, s.Actions = list(c.Operators), list(c.Actions)
	s.OperatorsClaimed, s.ActionsClaimed = len(c.Operators), len(c.Actions)
}

// Add adds the counts of a worker. It leaves out names that were not claimed, such as operators in cases of another
// technique.
func (s *APIStats) Add(v *Coverage) {
	if v == nil {
		return
	}
	merge := func(to []coverCount, from map[string][2]uint64) (ok int) {
		for name, n := range from { // the order does not matter
			if i, found := slices.BinarySearchFunc(to, name, func(c coverCount, name string) int { return cmp.Compare(c.Name, name) }); found {
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
	if s.took == nil {
		s.took = map[string]*took{}
	}
	for name, t := range v.Targets { // the order does not matter
		if s.took[name] == nil {
			s.took[name] = &took{Operators: map[string][3]uint64{}}
		}
		s.took[name].joinCounts(t)
	}
	s.Targets = nil // a list of its own: copies of the statistics have the old one
	for _, name := range slices.Sorted(maps.Keys(s.took)) {
		s.Targets = append(s.Targets, s.took[name].summarize(name))
	}
}
