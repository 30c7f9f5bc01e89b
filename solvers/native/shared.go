package native

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

const (
	// A script that could share a solver gets its own once aloneEvery runs and aloneBytes bytes of scripts have passed
	// since the last script that got its own. These runs test the code that a solver runs only before its first push,
	// such as the tactics of z3. A new solver costs the same whatever the script, so small scripts would otherwise
	// spend most of the time on it. The number of runs is no power of two, because histories of findings are tried in
	// such lengths. The first run of a child gets its own solver.
	aloneEvery = 33
	aloneBytes = 64 << 10
	// sharedRuns is the number of runs that one solver serves. Data that libraries keep of earlier runs grows until
	// then.
	sharedRuns = 128
)

// sharedSolver keeps one solver across runs. It runs scripts whose effects a pop removes completely, one after the
// other, each between a push and a pop. That costs microseconds, while a new solver costs a millisecond.
type sharedSolver struct {
	session *driver.Session // nil: there is none
	key     string          // the settings of the session
	runs    int             // that it has served
	started bool            // the child has had a run
	since   int             // all runs of the child since the last script that got its own solver
	bytes   int             // of their texts
}

// next counts a run with a text of the given size and reports whether its script may share a solver. key has the
// required settings, n the number of commands that make them.
func (x *sharedSolver) next(q *request, calls []solvers.Call, bytes int) (key string, n int, shared bool) {
	x.since, x.bytes = x.since+1, x.bytes+bytes
	if !x.started || x.since >= aloneEvery && x.bytes >= aloneBytes {
		x.started, x.since, x.bytes = true, 0, 0
		return "", 0, false
	}
	if q.Trace || !q.Shares {
		return "", 0, false
	}
	settings, n, ok := settingsOf(calls)
	return fmt.Sprint(q.Options, q.Models, q.Cores, q.TimeLimit, q.Resources, settings), n, ok
}

// settingsOf returns the settings that a script begins with, and their number. It reports false if the script could
// affect a later one: it changes settings later, resets, pops more than it has pushed, or declares names that belong to
// a context.
func settingsOf(calls []solvers.Call) (settings string, n int, ok bool) {
	var b strings.Builder
	depth := 0
	for i := range calls {
		c := &calls[i].Command
		switch c.Kind {
		case smtlib.CmdSetLogic, smtlib.CmdSetOption:
			if n < i || c.Name == ":global-declarations" {
				return "", 0, false
			}
			fmt.Fprintf(&b, "%s %s\n", c.Name, c.Text)
			n = i + 1
		case smtlib.CmdSetInfo:
			if n == i {
				n = i + 1
			}
		case smtlib.CmdPush:
			depth += c.N
		case smtlib.CmdPop:
			if depth -= c.N; depth < 0 {
				return "", 0, false
			}
		case smtlib.CmdReset, smtlib.CmdResetAssertions, smtlib.CmdOther, smtlib.CmdDeclareSort, smtlib.CmdDeclareDatatype,
			smtlib.CmdDeclareDatatypes,
			smtlib.CmdDefineFunRec, smtlib.CmdDefineFunsRec, smtlib.CmdCheckSatUsing, smtlib.CmdGetInfo, smtlib.CmdGetOption,
			smtlib.CmdGetAssertions:
			return "", 0, false
		}
	}
	return b.String(), n, true
}

// enter returns the shared solver for the settings, after a push; nil if there is none and none can be made.
func (x *sharedSolver) enter(key string, settings []solvers.Call, limits driver.TimeLimits,
	open func() *driver.Session) *driver.Session {
	if s := x.session; s != nil {
		s.TimeLimits = limits
		if x.key != key || x.runs >= sharedRuns || s.Renew() != nil {
			x.leave()
		}
	}
	if x.session == nil {
		x.session, x.key, x.runs = open(), key, 0
		for i := range settings {
			c := &settings[i].Command
			var err error
			switch c.Kind {
			case smtlib.CmdSetLogic:
				err = x.session.SetLogic(c.Text)
			case smtlib.CmdSetOption:
				err = x.session.SetOption(c.Name, c.Text)
			}
			if err != nil {
				x.leave()
				return nil
			}
		}
	}
	if x.session.Push(1) != nil {
		x.leave()
		return nil
	}
	x.runs++
	return x.session
}

// exit ends a run in the shared solver. If the run did not end normally, the solver is closed.
func (x *sharedSolver) exit(plain bool) {
	if x.session == nil {
		return
	}
	if !plain || x.session.PopAll() != nil {
		x.leave()
	}
}

// leave closes the shared solver.
func (x *sharedSolver) leave() {
	if x.session != nil {
		_, _ = x.session.Close()
		x.session = nil
	}
}
