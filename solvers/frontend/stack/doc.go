// Package stack has the assertion stack of a front end: settings, declarations, definitions and assertions by level,
// from which any session can be brought up to date. A session is told as little as possible: what it was told already
// is kept, what was popped since then is popped there, and what nobody ever asked about never reaches it.
package stack
