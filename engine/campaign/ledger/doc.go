// Package ledger groups the verdicts of a campaign: groups of verdicts with one signature, buckets of those whose
// signature is vague, and groups that have one cause. It decides and remembers; it stores nothing and asks no solver.
//
// A verdict with a vague signature may have any of several causes. All verdicts with one vague signature are a bucket.
// The first one becomes a finding at once. Another one is a candidate if its case cannot have the cause of any finding
// of the bucket, because it lacks an operator of that finding's reduced case; of the rest a few are candidates, ever
// fewer. A candidate is confirmed and reduced like any other verdict, and becomes a finding of its own if it is
// reduced to another skeleton.
//
// Cases with one cause are not always reduced to the same operators: of a wrong answer of str.from_sbv one keeps a
// str.< that another one does without. So a group is joined to another one if its skeleton has all operators of the
// other's, a rare one among them, and more: the store keeps it as a duplicate, with all its files, and can separate the
// two again.
package ledger
