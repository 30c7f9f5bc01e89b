// Package workspace is where techniques make cases: arenas of terms that live as long as the case they were made for,
// seeds that stay parsed from one case to the next, cases with what was found out about them, and models that are
// remembered. What a campaign file holds of it says so when it is over.
package workspace
