// Package campaign runs campaigns. A coordinator hands ranges of case numbers to worker processes. They make the cases,
// ask the targets and the oracles. A verdict is confirmed in a fresh process, grouped, reduced and stored.
//
// Read this package first: it has the plan that a campaign file makes. Read wire next: what coordinator and workers say
// to each other. Then:
//
//   - worker, confirm and coordinator do the work;
//   - corpus, target, consult and workspace are what a plan is made of;
//   - ledger groups verdicts; mixture, growth, metrics and account count;
//   - cluster spreads a campaign over machines, farm over builds of a solver.
package campaign
