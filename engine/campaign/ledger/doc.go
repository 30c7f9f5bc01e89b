// Package ledger keeps what the verdicts of a campaign have come to: groups of verdicts with one signature, buckets of those whose
// signature is vague, and which groups have one cause. It decides and remembers; it stores nothing and asks nobody.
//
// A verdict with a vague signature may have any of several causes. All verdicts with one vague signature are a bucket. The
// first one becomes a finding at once. Of the others, those are candidates whose case cannot have the cause of a finding
// of the bucket, since it lacks an operator of the reduced case; and of the rest a few, ever fewer. A candidate is
// confirmed and reduced like any other verdict, and becomes a finding of its own if it was reduced to another skeleton.
//
// Cases with one cause are not always reduced to the same operators: of a wrong answer of str.from_sbv one keeps a str.<
// that another one does without. So a group whose skeleton has all of another one's, one of them telling, and more, is
// joined to that: the store keeps it as a duplicate, with all its files, and can part them again.
package ledger
