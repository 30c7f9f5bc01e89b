// Package judge decides which answers to a case are right, and which bugs a solver has. Read testcase first: a case,
// and the known facts about its answers. Then oracle makes verdicts about the runs of a case. claim checks the answer
// that a verdict takes to be right. triage groups the verdicts that have the same cause, and ranks their severity.
// finding records all of that.
//
// The main types, by package:
//
//   - testcase: Case has a script, the answers that it must have and a witness; Origin tells how it was made.
//   - oracle: an Oracle looks at a case and its runs (solvers.Run), and gives Verdicts: crash, wrong answer,
//     disagreement, invalid model, value or core.
//   - claim: a Claim is an answer that must be right for a verdict to be one; Settle proves or refutes it, by exact
//     evaluation or by a model, and gives a Ruling.
//   - triage: a Signature groups verdicts with one cause, a Pattern names known ones, a Severity ranks them.
//   - finding: a Finding is stored with its runs, a Plan describes the campaign that made it, a Store keeps both.
package judge
