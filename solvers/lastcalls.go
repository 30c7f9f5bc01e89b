package solvers

import (
	"fmt"
	"strings"
)

// lastCallsStart is the beginning of the text that LastCalls returns.
const lastCallsStart = "library call "

// lastCallsShown is the maximum number of earlier calls that LastCalls names.
const lastCallsShown = 9

// LastCalls returns two lines that name the call of a C library that did not return, and the calls before it. calls are
// the latest ones, oldest first, at least one; n is the number of all calls of the run. The Stderr of a run of a
// library ends with this text.
func LastCalls(calls []string, n uint64) string {
	last := len(calls) - 1
	return fmt.Sprintf("%s%d of the run did not return: %s\nbefore it: %s", lastCallsStart, n, calls[last],
		strings.Join(calls[max(0, last+1-lastCallsShown):last], ", "))
}

// CutLastCalls cuts the text of LastCalls off the end of a Stderr; calls is "" if there is none.
func CutLastCalls(stderr string) (own, calls string) {
	at := strings.LastIndex("\n"+stderr, "\n"+lastCallsStart)
	if at < 0 || !strings.Contains(stderr[at:], " of the run did not return: ") {
		return stderr, ""
	}
	return strings.TrimSuffix(stderr[:at], "\n"), stderr[at:]
}
