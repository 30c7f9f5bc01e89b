package rule

import (
	"slices"
	"strings"
)

// Bounds are the builds of a kind of solver that a line of a profile counts for: older ones than Before, Since and
// later ones; with OverText, programs and no libraries.
type Bounds struct {
	Before, Since string
	OverText      bool
}

// UnknownVersion begins the version of a build that prints none; digits of its hash follow. It counts as newer than all
// versions that bounds name, since builds without a release number are usually from a checkout.
const UnknownVersion = "build-"

// CutBounds splits a line of a profile into its text and the bounds at its end.
func CutBounds(line string) (rest string, b Bounds) {
	rest, b.OverText = strings.CutSuffix(line, " over text")
	rest, b.Since, _ = strings.Cut(rest, " since ")
	rest, b.Before, _ = strings.Cut(rest, " before ")
	return rest, b
}

// String returns what stands behind a line.
func (b Bounds) String() (text string) {
	if b.Before != "" {
		text += " before " + b.Before
	}
	if b.Since != "" {
		text += " since " + b.Since
	}
	if b.OverText {
		text += " over text"
	}
	return text
}

// Hold reports whether the line counts for a build.
func (b Bounds) Hold(version string, library bool) bool {
	if b.OverText && library || b.Before != "" && !isOlder(version, b.Before) {
		return false
	}
	return b.Since == "" || !isOlder(version, b.Since)
}

// isOlder compares versions by their numbers.
func isOlder(a, b string) bool {
	if strings.HasPrefix(a, UnknownVersion) {
		return false
	}
	numbers := func(s string) (out []int) {
		for _, p := range strings.Split(s, ".") {
			n := 0
			for _, c := range p {
				if c < '0' || c > '9' {
					break
				}
				n = 10*n + int(c-'0')
			}
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(numbers(a), numbers(b)) < 0
}
