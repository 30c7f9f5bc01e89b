// Package judge decides what is right about a case, and what is wrong with a solver. Read testcase first: a case, and
// what is known of its answers. Then oracle makes verdicts about the runs of a case. claim checks the answer that a
// verdict takes to be right. triage says which verdicts are the same mistake, severity how bad it is. finding is the
// record of it all.
package judge
