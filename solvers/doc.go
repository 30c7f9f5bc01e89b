// Package solvers describes SMT solvers and the results of running a case, but does not itself start a solver for a
// case. Read this page first. Then read process (programs over pipes) and native (C libraries); catalogue and learn
// (which solvers are available, and what they accept); rule, tracetext, build, backtrace, coverage, parcel, trust and
// confine (one topic each); meta and frontend (sessions made of other sessions).
//
// A Profile is what is known about a kind of solver (data only, written in Starlark under stdlib/solvers); a Solver is
// one binary of that kind found on this machine (Discover); a Target runs queries on a Solver in one Mode (package
// solvers/process); a Run is the result. Classify turns exit status and messages into a Class.
//
// The main types:
//
//   - Profile, with its parts Program, OptionSyntax, Dialect, Replies, Support, Repertoire and Promises, describes a kind
//     of solver; Solver is a program or library of it.
//   - Target asks a Solver in one Mode; Query is what it is asked, Limits bound it, Run says what came of it.
//   - Class is the worst that happened in a run, Failure one thing that was wrong while it went on.
//   - Session is a live solver, Call what it is asked and Reply what it says; Trace is a list of calls, Player plays it.
//   - Facts are what a build was found to take, where its profile says something else.
//
// There is also a lower-level interface: a Session is a live solver that is driven call by call, by text (package
// solvers/process) or through its C library. A Trace is a sequence of such calls. A target that is no text target takes
// Query.Calls, opens a session and lets a Player play them:
//
//	func (t *target) Run(ctx context.Context, q *solvers.Query, lim solvers.Limits) *solvers.Run {
//		run := &solvers.Run{Target: t.Name(), ...}
//		s, err := t.Open(ctx, q.Arena(), lim) // q.Arena: that of the trace or of the script
//		...
//		new(solvers.Player).Play(ctx, s, q.Calls(), run) // fills Answers, Values, Class, Message
//		cost, err := s.Close()
//		return run
//	}
//
// A worker process that has the library reads a trace by tracetext.Read, which tracetext.AppendTo wrote, plays it with
// a Player whose Before names each call ahead of it, and sends back Answers, Values, Class and Message.
package solvers
