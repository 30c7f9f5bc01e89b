package coordinator

import "strings"

// whyAt adds to why a worker died where its script was, if that is known.
func whyAt(why, at string) string {
	if at == "" {
		return why
	}
	head, rest, more := strings.Cut(strings.TrimSpace(why), "\n")
	head += "; the campaign file was at " + at
	if more {
		return head + "\n" + rest
	}
	return head
}
