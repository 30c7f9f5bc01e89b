package dialogue

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// mostDropped is how many terms an arena may have that were taken back. Evaluators of kept models, printers and tables
// have memory for each: a few hundred bytes.
const mostDropped = 1 << 15

// terms knows how far the arena has terms of the problem: what lies behind is of questions, and of levels that were
// taken back. A client may go on for days.
type terms struct {
	beginning filled
	inForce   filled
	levels    []filled // by level: inForce at its push
}

// filled is how far an arena was filled.
type filled struct {
	mark  smt.Mark
	terms int
}

func filledNow(a *smt.Arena) filled { return filled{a.Mark(), a.Len()} }

// follow does what a command did to the problem; takesBack says that it has taken back something.
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
	default:
		if solvers.ReplyTo(c.Kind, c.Name) == solvers.NoReply {
			t.inForce = filledNow(a)
		}
	}
	return false
}

// dropTerms drops the terms of what was taken back, where they are many.
func (d *Dialogue) dropTerms() {
	a := d.solver.Arena()
	if a.Len()-d.terms.inForce.terms < mostDropped || d.solver.Stack().KeepsDeclarations() {
		return
	}
	d.assumed = assumed{}
	d.found = optimum{}
	d.scope.Close()
	d.solver.Release(d.terms.inForce.mark)
	d.readScope()
}

// readScope makes the scope one that knows the names of the problem.
func (d *Dialogue) readScope() {
	d.scope = smtlib.NewScope(d.solver.Arena())
	for _, x := range d.solver.Stack().History() {
		d.scope.Add(&x)
	}
}
