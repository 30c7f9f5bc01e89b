// Package campaign runs campaigns: a coordinator hands ranges of case numbers to worker processes, which make the
// cases, ask the targets and the oracles; verdicts are confirmed in fresh processes, grouped, reduced and stored.
//
// Read this package first, which has the plan that a campaign file makes, then wire: what coordinator and workers say to each other. Then worker, confirm and
// coordinator; corpus, target, consult and workspace, of which plans are made; ledger, mixture, growth, metrics and account, which count; cluster and farm,
// for which one machine or one build is not enough.
package campaign
