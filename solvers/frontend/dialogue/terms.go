package dialogue

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// mostGarbage bounds the terms and symbols of an arena that are not of the problem, unless the problem has more itself.
// Evaluators of kept models, printers and tables have memory for each: a few hundred bytes.
const mostGarbage = 1 << 15

// terms records which part of the arena has the terms of the problem. The rest, terms of questions and popped levels,
// accumulates, since a client may run for days.
type terms struct {
	beginning filled
	inForce   filled
	levels    []filled // by level: inForce at its push
}

// filled is the fill level of an arena: the number of terms and symbols.
type filled struct {
	mark smt.Mark
	size int
}

func filledNow(a *smt.Arena) filled { return filled{a.Mark(), a.Len() + a.NumSymbols()} }

// follow updates the fill levels after a command; takesBack says that the command removed part of the problem.
func (t *terms) follow(a *smt.Arena, c *smtlib.Command) (takesBack bool) {
	switch c.Kind {
	case smtlib.CmdPush:
		for range c.N {
			t.levels = append(t.levels, t.inForce)
		}
	case smtlib.CmdPop:
		if c.N == 0 || c.N > len(t.levels) {
			return false
		}
		t.inForce = t.levels[len(t.levels)-c.N]
		t.levels = t.levels[:len(t.levels)-c.N]
		return true
	case smtlib.CmdReset, smtlib.CmdResetAssertions:
		t.levels = nil
		t.inForce = t.beginning
		return true
	case smtlib.CmdSetLogic, smtlib.CmdSetOption, smtlib.CmdSetInfo, smtlib.CmdExit, smtlib.CmdEcho:
		// These have no terms.
	default:
		if solvers.ReplyTo(c.Kind, c.Name) == solvers.NoReply {
			t.inForce = filledNow(a)
		}
	}
	return false
}

// dropTerms drops the terms that do not belong to the problem, if there are many; after that, the whole problem is sent
// to the sessions again. There must be no answer that the client may still ask about.
func (d *Dialogue) dropTerms() {
	if !d.hasGarbage() {
		return
	}
	d.assumed = assumed{}
	d.found = optimum{}
	d.scope.Close()
	d.solver.Release(d.terms.inForce.mark)
	d.readScope()
}

// hasGarbage reports whether there are many terms that are not of the problem.
func (d *Dialogue) hasGarbage() bool {
	inForce := d.terms.inForce.size
	garbage := filledNow(d.solver.Arena()).size - inForce
	return garbage >= max(mostGarbage, inForce) && !d.solver.Stack().KeepsDeclarations()
}

// endsAnswer reports whether the client can no longer ask about the previous answer after a command.
func endsAnswer(command []byte) bool {
	name, _ := smtlib.CommandName(command)
	switch smtlib.KindOf(name) {
	case smtlib.CmdAssert, smtlib.CmdPush, smtlib.CmdCheckSat, smtlib.CmdCheckSatAssuming, smtlib.CmdCheckSatUsing:
		return true
	}
	return false
}

// readScope makes the scope one that knows the names of the problem.
func (d *Dialogue) readScope() {
	d.scope = smtlib.NewScope(d.solver.Arena())
	for _, x := range d.solver.Stack().History() {
		d.scope.Add(&x)
	}
}
