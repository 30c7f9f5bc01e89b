package solvers

import (
	"fmt"
	"strings"
)

// lastCallsStart begins what LastCalls says.
const lastCallsStart = "library call "

// lastCallsShown bounds the calls that LastCalls names.
const lastCallsShown = 9

// LastCalls says in two lines which call of a C library did not return, and which came before it. calls are the
// latest ones, oldest first, at least one; n is the number of all calls of the run. It ends the Stderr of a run of a
// library.
func LastCalls(calls []string, n uint64) string {
	last := len(calls) - 1
	return fmt.Sprintf("%s%d of the run did not return: %s\nbefore it: %s", lastCallsStart, n, calls[last],
		strings.Join(calls[max(0, last+1-lastCallsShown):last], ", "))
}

// CutLastCalls takes what LastCalls said off the end of a Stderr; calls is "" where nothing of it is there.
func CutLastCalls(stderr string) (own, calls string) {
	at := strings.LastIndex("\n"+stderr, "\n"+lastCallsStart)
	if at < 0 || !strings.Contains(stderr[at:], " of the run did not return: ") {
		return stderr, ""
	}
	return strings.TrimSuffix(stderr[:at], "\n"), stderr[at:]
}
