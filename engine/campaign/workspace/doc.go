// Package workspace has the data from which techniques make cases: arenas of terms that live as long as their case,
// seeds that stay parsed between cases, cases with cached analysis results, and cached models. A value that a campaign
// file holds beyond its lifetime reports that it has expired.
package workspace
