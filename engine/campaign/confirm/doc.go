// Package confirm is how a worker handles one verdict: it tries it again in fresh processes, checks the answer that
// the verdict takes to be right, reduces the case, tries it with the solver's program alone and with other versions,
// and replays it.
package confirm
