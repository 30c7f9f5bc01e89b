// Package judge has what is right about a case, and what is wrong with a solver. Read testcase first: a case, with what is known of its answers. Then oracle
// (verdicts about the runs of a case), claim (whether the answer that a verdict takes to be right is), triage (which verdicts are the same mistake), severity,
// and finding: what is told of a mistake.
package judge
