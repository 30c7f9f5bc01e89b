package solvers

import (
	"slices"
	"strings"
)

// Lacks returns the lines of the profile's api_exclude that count for the solver.
func (s *Solver) Lacks() []string { return linesThatCount(s.Profile.APIExclude, s) }

// Avoids returns those of api_avoid, and those of what the solver does not document.
func (s *Solver) Avoids() []string {
	return linesThatCount(slices.Concat(s.Profile.APIAvoid, s.Profile.ContractRules()), s)
}

// Outlives returns texts of commands whose effect outlives (pop 1), or (reset).
func (s *Solver) Outlives(pop bool) []string {
	if pop {
		return inVersion(s.Profile.OutlivesPop, s.Version)
	}
	return inVersion(s.Profile.OutlivesReset, s.Version)
}

// linesThatCount returns the lines that count for a solver: one with "before VERSION" at its end counts for older ones, one with "since VERSION" for others, one with
// "over text" for programs and not for libraries.
func linesThatCount(lines []string, s *Solver) []string {
	var out []string
	for _, line := range lines {
		rest, text := strings.CutSuffix(line, " over text")
		if !text || s.Library == "" {
			out = append(out, rest)
		}
	}
	return inVersion(out, s.Version)
}

// inVersion returns the lines that count for a version.
func inVersion(lines []string, version string) (out []string) {
	for _, line := range lines {
		rest, limit, ok := strings.Cut(line, " before ")
		if ok && !isOlder(version, limit) {
			continue
		}
		if rest, limit, ok = strings.Cut(rest, " since "); ok && isOlder(version, limit) {
			continue
		}
		out = append(out, rest)
	}
	return out
}

// isOlder compares versions by their numbers.
func isOlder(a, b string) bool {
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
