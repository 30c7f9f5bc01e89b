package mutate

import (
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// edit is a mutant in the making.
type edit struct {
	x         *Subject
	terms     []smt.Term     // the assertions, as far as it has changed
	need      logic.Features // logic features of the inserted terms
	did       []string
	keepLogic bool // the logic of the script must do

	root   int // the assertion of the spot
	frames []frame
	at     smt.Term // the term at the spot
	path   []int32
	args   []smt.Term
}

func newEdit(x *Subject, keepLogic bool) *edit {
	return &edit{x: x, terms: append([]smt.Term(nil), x.terms...), keepLogic: keepLogic}
}

// goTo goes to a random occurrence of a node. Where earlier edits have put something else on the way, it goes as far
// as it can.
func (e *edit) goTo(r *rng.Source, node int32) {
	x := e.x
	e.path = e.path[:0]
	for {
		uses := x.uses[x.first[node]:x.first[node+1]]
		u := uses[0]
		if len(uses) > 1 {
			u = uses[r.Intn(len(uses))]
		}
		if u.parent < 0 {
			e.root = int(-1 - u.parent)
			break
		}
		e.path = append(e.path, u.arg)
		node = u.parent
	}
	e.frames, e.at = e.frames[:0], e.terms[e.root]
	for i := len(e.path) - 1; i >= 0; i-- {
		arg := int(e.path[i])
		if arg < firstSpot(x.a, e.at) || arg >= spotEnd(x.a, e.at) {
			break
		}
		e.frames = append(e.frames, frame{e.at, arg})
		e.at = x.a.Arg(e.at, arg)
	}
}

// replaceTerm replaces the term at the spot, there and nowhere else.
func (e *edit) replaceTerm(t smt.Term) error {
	a := e.x.a
	e.need |= logic.OfNode(a, t)
	for i := len(e.frames) - 1; i >= 0; i-- {
		f := e.frames[i]
		e.args = append(e.args[:0], a.Args(f.t)...)
		e.args[f.arg] = t
		var err error
		if t, err = a.Rebuild(f.t, e.args); err != nil {
			return err
		}
		e.need |= logic.OfOperator(a, t)
	}
	e.terms[e.root] = t
	return nil
}

// tryEdit calls f to make an edit. It undoes the edit if f reports that it did nothing, or if the result needs a wider
// logic although the logic of the script must be kept.
func (e *edit) tryEdit(f func() (bool, error)) (bool, error) {
	need, did := e.need, len(e.did)
	root := e.terms[e.root]
	at := e.root
	done, err := f()
	if err == nil && done && (!e.keepLogic || e.neededLogic() == e.x.logic) {
		return true, nil
	}
	e.need, e.did, e.terms[at] = need, e.did[:did], root
	return false, err
}

// boundVariables returns the variables that are bound at the spot, the innermost last.
func (e *edit) boundVariables() []smt.Term {
	var vars []smt.Term
	if f := e.x.roots[e.root].sym; f != 0 {
		vars = append(vars, e.x.a.SymbolInfo(f).Vars...)
	}
	for _, f := range e.frames {
		vars = append(vars, e.x.a.BoundVars(f.t)...)
	}
	return vars
}

// takesAnyTerm reports whether the spot takes any term of its sort. Solvers want values in some places.
func (e *edit) takesAnyTerm() bool {
	for i, f := range e.frames {
		switch op := e.x.a.Op(f.t); {
		case op == smt.OpConstArray:
			return false
		case i == len(e.frames)-1 && (op == smt.OpReRange || op == smt.OpReLoopArgs && f.arg > 0):
			return false
		}
	}
	return true
}

// polarity tells how the assertion depends on the formula at the spot: 1 if it grows with it, -1 if it shrinks, 0 if
// neither.
func (e *edit) polarity() int {
	if e.x.roots[e.root].sym != 0 { // it depends on how the function is used
		return 0
	}
	return polarityBelow(e.x.a, e.frames, e.at)
}

// neededLogic returns the script's logic if that has the new terms, else a wider one.
func (e *edit) neededLogic() string { return logic.Fit(e.x.logic, e.need&^e.x.own) }

// hasChanged reports whether anything is different now.
func (e *edit) hasChanged() bool {
	for i, t := range e.terms {
		if t != e.x.terms[i] {
			return true
		}
	}
	return false
}

// mutatedScript returns the mutant, with a logic that allows its terms.
func (e *edit) mutatedScript() (*smtlib.Script, error) {
	x := e.x
	cmds := append(make([]smtlib.Command, 0, len(x.cmds)), x.cmds...)
	var bodies map[smt.Symbol]smt.Term
	for i := range x.roots {
		switch r := &x.roots[i]; {
		case e.terms[i] == x.terms[i]:
		case r.sym == 0:
			cmds[r.cmd] = smtlib.Command{Kind: smtlib.CmdAssert, Terms: e.terms[i : i+1 : i+1]}
		default:
			if bodies == nil {
				bodies = map[smt.Symbol]smt.Term{}
			}
			bodies[r.sym] = e.terms[i]
		}
	}
	if bodies != nil {
		var err error
		if cmds, err = redefineFunctions(x.a, cmds, bodies); err != nil {
			return nil, err
		}
	}
	if name := e.neededLogic(); name != x.logic {
		for i := range cmds {
			if cmds[i].Kind == smtlib.CmdSetLogic {
				cmds[i].Text = name
			}
		}
	}
	return x.base.WithCommands(cmds), nil
}

// Mutant is the result of a mutation, with a description of its steps.
type Mutant struct {
	Script *smtlib.Script
	Steps  []string
}

func (e *edit) toMutant() (*Mutant, error) {
	if !e.hasChanged() {
		return nil, nil
	}
	s, err := e.mutatedScript()
	if err != nil {
		return nil, err
	}
	return &Mutant{s, e.did}, nil
}
