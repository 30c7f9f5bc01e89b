package triage

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is used first. Every process of smtlark has this package,
// also the many that hold a library and live for one case, and few of them come to look at an output.
type pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// latePattern returns the pattern of a regular expression, which must be one.
func latePattern(text string) *pattern { return &pattern{text: text} }

func (p *pattern) get() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

// The methods are those of regexp.Regexp.

func (p *pattern) MatchString(s string) bool            { return p.get().MatchString(s) }
func (p *pattern) FindStringSubmatch(s string) []string { return p.get().FindStringSubmatch(s) }
func (p *pattern) SubexpIndex(name string) int          { return p.get().SubexpIndex(name) }
func (p *pattern) ReplaceAllString(src, repl string) string {
	return p.get().ReplaceAllString(src, repl)
}
