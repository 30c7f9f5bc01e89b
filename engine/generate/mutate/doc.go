// Package mutate has the parts that mutators are made of: fragments of formulas, pools of formulas whose truth value
// is known, replacement of subterms, and scripts that check the same assertions step by step.
//
// Pools and fragments follow STORM (Mansur, Christakis, Wüstholz and Zhang, "Detecting Critical Bugs in SMT Solvers
// using Blackbox Mutational Fuzzing", ESEC/FSE 2020): formulas that are true under an assignment are built from the
// predicates of a seed, so the assignment satisfies the result.
package mutate
