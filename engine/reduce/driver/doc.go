// Package driver makes inputs smaller while they still show what is to be kept. One driver reduces scripts, traces of API calls,
// sequences of cases and lists of options. What it goes through is a Space: what a candidate is, when one may take the place of
// the current one, and how one is asked about. How it gets smaller is up to passes, which propose candidates.
//
// The driver asks about no text twice, asks about several candidates at a time without letting that change what comes out, looks
// again at what it has come to where the reply may be by chance, goes through the passes until none changes anything, keeps to
// the bounds on tests and time, and counts what it did.
package driver
