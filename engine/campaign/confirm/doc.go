// Package confirm is what a worker does about one verdict: it tries it again in fresh processes, finds out whether the answer that it
// takes to be right is, reduces its case, tries it with the solver's program alone, looks at it again with other versions,
// and replays it.
package confirm
