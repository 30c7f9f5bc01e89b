// Package pattern has regular expressions that are compiled when they are first used: most processes need few of them,
// and each process of a campaign starts.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that returns the regular expression of a text. The expression is compiled once.
func Lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
