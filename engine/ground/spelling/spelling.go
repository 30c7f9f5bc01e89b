// Package spelling suggests the intended name for a misspelt one.
package spelling

import (
	"fmt"
	"strings"
)

// Nearest returns the candidate closest to name by Damerau-Levenshtein distance,
// ignoring case and underscores, or "" when none is close enough to be a likely
// misspelling (at most a third of its letters wrong, at least one). Of equally close
// ones it is that with the longest common beginning, else the first. Where none is
// close, a candidate counts that begins with all letters of the name but the last
// ("binary" is "binaries"), or that has a close word among several ("dept" is "max_depth").
func Nearest(name string, candidates []string) string {
	x := fold(name)
	best, limit, common := "", max(1, len(x)/3), -1
	for _, c := range candidates {
		if c == name {
			continue
		}
		y := fold(c)
		d := distance(x, y)
		if n := commonPrefix(x, y); d <= limit && (best == "" || d < limit || n > common) {
			best, limit, common = c, d, n
			if d == 0 {
				break
			}
		}
	}
	if best != "" || len(x) < 4 {
		return best
	}
	for _, c := range candidates {
		if commonPrefix(x, fold(c)) >= len(x)-1 {
			return c
		}
	}
	for _, c := range candidates {
		for _, word := range strings.Split(strings.ToLower(c), "_") {
			if len(word) >= 4 && len(word) < len(c) && distance(x, word) <= 1 {
				return c
			}
		}
	}
	return ""
}

// Hint returns the end of a message about a name that is not among the candidates: the nearest one in parentheses, or
// nothing.
func Hint(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// HintOrAll is Hint, but ends the message with all candidates where none is near.
func HintOrAll(name string, candidates []string) string {
	if hint := Hint(name, candidates); hint != "" {
		return hint
	}
	return " (there are: " + strings.Join(candidates, ", ") + ")"
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func fold(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// distance is the optimal string alignment distance between two byte strings.
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
