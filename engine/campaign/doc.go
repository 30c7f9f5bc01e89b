// Package campaign runs campaigns. A coordinator hands ranges of case numbers to worker processes. They make the cases,
// ask the targets and the oracles. A verdict is confirmed in a fresh process, grouped, reduced and stored.
//
// Read this package first: it has the plan that a campaign file makes. Read wire next: it has the messages between
// coordinator and workers. Then:
//
//   - worker, confirm and coordinator do the work;
//   - corpus, target and workspace are what a plan is made of;
//   - ledger groups verdicts; mixture, growth, metrics and account count;
//   - cluster spreads a campaign over machines, farm over builds of a solver.
//
// The main types of this package:
//
//   - Plan is a campaign as its file describes it, inside a worker: a Technique makes cases, targets and oracles judge
//     them, a Reducer makes the case of a finding smaller, a Suppressor knows what is of no interest.
//   - Loader makes the plan of a file; a LoadError says whose mistake it is where there is none (Blame).
//   - SkipError is a case that there is not; StopError ends a campaign from within.
//   - Mixture, Grower and Avoider are what a technique may be besides: a choice among techniques, one whose seeds grow,
//     one that leaves out what kills a target.
package campaign
