// Package coordinator runs campaigns: it hands ranges of case numbers to workers, groups the verdicts that come back,
// has them confirmed and reduced, stores what they become, and ends when a stop condition holds. It executes no
// campaign file.
package coordinator
