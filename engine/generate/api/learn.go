package api

import (
	"maps"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// means reports whether an entry of the model, the name of an option or "NAME=VALUE", is about a setting.
func means(entry string, s rule.Setting) bool { return entry == s.Name || entry == s.Pair() }

// Learn asks a solver which settings it accepts, and fills Refused, Conflicts and Needs. takes reports whether the
// solver accepts some settings in their order. standard are the options of SMT-LIB that come before the others. The
// result depends on the replies alone.
//
// Many options are asked about at once; where they are refused, halves tell which (see learn.Halve). Any two options
// are asked about together, in any pairing of their first two values, and each without the other: the halves are those
// of the binary digits of their places.
func (m *OptionModel) Learn(standard []string, takes func([]rule.Setting) (bool, error)) error {
	l := &learner{m: m, takes: takes}
	if !l.ok(nil) { // it says nothing about options
		return l.err
	}
	m.Refused = map[string]bool{}
	m.Conflicts = slices.Clone(m.Conflicts) // they may be those of others, too
	m.Needs = maps.Clone(m.Needs)
	if m.Needs == nil {
		m.Needs = map[string]rule.Setting{}
	}
	var all [][]rule.Setting // by option: the values that it may be set to
	for _, name := range standard {
		all = append(all, []rule.Setting{{Name: name, Value: "true"}})
	}
	most := 1
	for i := range m.Specs {
		s := &m.Specs[i]
		if s.Expert && !m.Expert || slices.Contains(standard, s.Name) {
			continue
		}
		if s.Kind == rule.Int {
			l.narrow(s)
		}
		all = append(all, s.Settings())
		most = max(most, len(all[len(all)-1]))
	}
	pick := func(k int, in func(i int) bool, value func(i int) int) []rule.Setting {
		var set []rule.Setting
		for i, values := range all {
			if (k < len(values) || len(values) == 1) && in(i) {
				set = append(set, values[value(i)%len(values)])
			}
		}
		return l.learn(l.likely(set))
	}
	every := func(int) bool { return true }
	var full [][]rule.Setting
	for k := range most {
		full = append(full, pick(k, every, func(int) int { return k }))
		if k == 0 && len(m.OneOf) > 0 {
			// They are not taken in any pairs: each is asked about beside all others.
			others := slices.DeleteFunc(slices.Clone(full[0]), func(x rule.Setting) bool {
				return slices.Contains(m.OneOf, x.Name)
			})
			one := func(values []rule.Setting) bool { return slices.Contains(m.OneOf, values[0].Name) }
			for _, values := range all {
				if one(values) {
					for _, x := range values {
						l.together(append(slices.Clone(others), x))
					}
				}
			}
			all = slices.DeleteFunc(all, one)
			full[0] = others
		}
		if k > 1 {
			continue // results for two values seldom differ from those for further ones
		}
		for bit := 0; 1<<bit < len(all); bit++ {
			for side := range 2 {
				pick(k, func(i int) bool { return i>>bit&1 == side }, func(int) int { return k })
			}
			pick(k, every, func(i int) int { return k + i>>bit&1 })
		}
	}
	if len(m.OneOf) == 0 && l.needs(slices.Concat(all...), full) { // else it could not be set beside what it needs
		for k := range most { // together with the options they need they may conflict with others
			pick(k, every, func(int) int { return k })
		}
	}
	return l.err
}

// Fitting returns the settings that a solver accepts together. It leaves out settings that the solver refuses alone, or
// after the ones before them. It asks as Learn does, only once if all are accepted, and adds what it learns to the
// model.
func (m *OptionModel) Fitting(set []rule.Setting, takes func([]rule.Setting) (bool, error)) ([]rule.Setting, error) {
	l := &learner{m: m, takes: takes}
	if m.Refused == nil {
		m.Refused = map[string]bool{}
	}
	kept, _ := l.together(set)
	return kept, l.err
}

type learner struct {
	m     *OptionModel
	takes func([]rule.Setting) (bool, error)
	err   error
	asked int
	// refusing are, by the name of an option, the settings that were found not to go with it.
	refusing map[string][]rule.Setting
}

// maxQuestions bounds the questions to a solver: if it accepts few options together, not all pairs of hundreds of
// options are asked about. A pair that was not asked about counts as accepted; a walk in which the solver refuses it
// counts as rejected.
const maxQuestions = 10_000

// ok asks the solver; after an error or too many questions, everything counts as accepted.
func (l *learner) ok(set []rule.Setting) bool {
	if l.asked++; l.err != nil || l.asked > maxQuestions {
		return true
	}
	ok, err := l.takes(set)
	if err != nil {
		l.err = err
		return true
	}
	return ok
}

// maxRaised limits how often the lower bound of a number is raised: to 255 above the bound in the profile.
const maxRaised = 8

// narrow lowers the upper bound of a number, and raises the lower one, until they are taken; if none is, they stay as
// they are. The distance between the bounds is found as a power of two, by bisecting the exponent: a range of 63 bits
// costs about six questions.
func (l *learner) narrow(s *rule.OptionSpec) {
	at := func(n int64) bool { return l.ok([]rule.Setting{{Name: s.Name, Value: strconv.FormatInt(n, 10)}}) }
	high, low := at(s.Hi), at(s.Lo)
	if high && low {
		return
	}
	lo := s.Lo
	for step := int64(1); !low && lo < s.Hi && step < 1<<maxRaised; step *= 2 {
		lo = min(s.Hi, lo+step)
		low = at(lo)
	}
	switch {
	case low && high:
		s.Lo = lo
	case low:
		distance := uint64(s.Hi) - uint64(lo)
		exponent := sort.Search(bits.Len64(distance), func(k int) bool { return !at(lo + int64(uint64(1)<<k)) })
		s.Lo, s.Hi = lo, lo
		if exponent > 0 {
			s.Hi = lo + int64(uint64(1)<<(exponent-1))
		}
	case high:
		s.Lo = s.Hi
	}
}

// likely returns the settings for which bisection is worthwhile. A solver that accepts one option at a time is in a
// mode that forbids most of them. In that case an option that was refused with another value is asked about alone, and
// after two refused values it counts as refused with all values.
func (l *learner) likely(set []rule.Setting) []rule.Setting {
	if len(l.m.OneOf) == 0 {
		return set
	}
	return slices.DeleteFunc(set, func(s rule.Setting) bool {
		before := 0
		for pair, refused := range l.m.Refused {
			if refused && strings.HasPrefix(pair, s.Name+"=") && pair != s.Pair() {
				before++
			}
		}
		if before > 0 && !l.m.Refused[s.Pair()] && (before > 1 || !l.ok([]rule.Setting{s})) {
			l.m.Refused[s.Pair()] = true
		}
		return l.m.Refused[s.Pair()]
	})
}

// learn asks about those settings that do not conflict by the facts known so far, and returns the ones accepted
// together. Settings that conflict with these are asked about together with the remaining ones.
func (l *learner) learn(set []rule.Setting) (kept []rule.Setting) {
	kept, away := l.together(set)
	for _, s := range away {
		if l.m.Needs[s.Pair()] != (rule.Setting{}) || slices.Contains(l.m.OneOf, s.Name) {
			continue // it does not come first, or goes with none of those that it was left out for
		}
		rest := slices.DeleteFunc(slices.Clone(set), func(x rule.Setting) bool { return x == s })
		_, others := l.together(append([]rule.Setting{s}, rest...))
		for _, x := range others {
			if l.m.fits([]rule.Setting{s}, x) {
				l.together([]rule.Setting{s, x})
			}
		}
	}
	return kept
}

// together returns the settings that the solver accepts one after the other (kept), and those that it accepts alone but
// not with the kept ones (away), since these hide their other conflicts. If not all are accepted, bisection finds out
// which ones are.
func (l *learner) together(set []rule.Setting) (kept, away []rule.Setting) {
	learn.Halve(set, func(part []rule.Setting) (fit []rule.Setting, failed bool) {
		for _, s := range part { // more may be known by now
			if l.m.fits(slices.Concat(kept, fit), s) {
				fit = append(fit, s)
			} else if !l.m.Refused[s.Pair()] {
				away = append(away, s)
			}
		}
		if len(fit) > 0 && !l.ok(slices.Concat(kept, fit)) {
			return fit, true
		}
		kept = append(kept, fit...)
		return nil, false
	}, func(s rule.Setting) {
		if !l.ok([]rule.Setting{s}) {
			l.m.Refused[s.Pair()] = true
			return
		}
		away = append(away, s)
		if l.joinsOneOf(kept, s) {
			return
		}
		with := kept[l.first(kept, s, false)]
		l.m.Conflicts = append(l.m.Conflicts, [2]string{with.Pair(), s.Pair()})
		l.exclude(with, s)
	})
	return kept, away
}

// Evidence for a group of options of which only one is accepted, as opposed to conflicting pairs: the number of options
// that conflict with one option and, of those, the number that also conflict with each other.
const (
	oneOfEvidence = 8
	oneOfPairs    = 4
)

// exclude records that two settings conflict, and finds out whether they belong to a group of options of which only one
// is accepted.
func (l *learner) exclude(with, s rule.Setting) {
	if l.refusing == nil {
		l.refusing = map[string][]rule.Setting{}
	}
	others := append(l.refusing[with.Name], s)
	l.refusing[with.Name] = others
	if len(l.m.OneOf) > 0 { // one that goes with none of them is one of them
		if !slices.ContainsFunc(others, func(x rule.Setting) bool {
			return !slices.Contains(l.m.OneOf, x.Name)
		}) && len(others) >= oneOfPairs {
			l.m.OneOf = append(l.m.OneOf, with.Name)
			l.forgetPairs(with, others)
		}
		return
	}
	if len(others) < oneOfEvidence {
		return
	}
	few := others[len(others)-oneOfPairs:]
	for i, x := range few {
		for _, y := range few[:i] {
			if x.Name == y.Name || l.ok([]rule.Setting{y, x}) {
				return
			}
		}
	}
	l.m.OneOf = []string{with.Name}
	for _, x := range others {
		if !slices.Contains(l.m.OneOf, x.Name) {
			l.m.OneOf = append(l.m.OneOf, x.Name)
		}
	}
	l.forgetPairs(with, others)
}

// forgetPairs drops the conflicts of a setting that OneOf already expresses.
func (l *learner) forgetPairs(with rule.Setting, others []rule.Setting) {
	l.m.Conflicts = slices.DeleteFunc(l.m.Conflicts, func(c [2]string) bool {
		return c[0] == with.Pair() && slices.ContainsFunc(others, func(x rule.Setting) bool { return c[1] == x.Pair() })
	})
}

// joinsOneOf reports whether a setting belongs to the options of which only one is accepted, as an earlier setting
// does.
func (l *learner) joinsOneOf(before []rule.Setting, s rule.Setting) bool {
	i := slices.IndexFunc(before, func(x rule.Setting) bool { return slices.Contains(l.m.OneOf, x.Name) })
	if i < 0 || l.ok([]rule.Setting{before[i], s}) {
		return false
	}
	l.m.OneOf = append(l.m.OneOf, s.Name)
	return true
}

// needs looks for a setting after which a refused setting is accepted, among those accepted together. It reports
// whether it found any.
func (l *learner) needs(all []rule.Setting, full [][]rule.Setting) (found bool) {
	for _, s := range all {
		for _, set := range full {
			rest := slices.DeleteFunc(slices.Clone(set), func(x rule.Setting) bool { return x.Name == s.Name })
			if !l.m.Refused[s.Pair()] || len(rest) == 0 || !l.ok(append(slices.Clone(rest), s)) {
				continue
			}
			if on := rest[l.first(rest, s, true)]; l.ok([]rule.Setting{on, s}) {
				delete(l.m.Refused, s.Pair())
				l.m.Needs[s.Pair()] = on
				found = true
			}
		}
	}
	return found
}

// first returns the position of the first setting after which the reply for s is the same as after all of them. It uses
// bisection.
func (l *learner) first(before []rule.Setting, s rule.Setting, want bool) int {
	lo, hi := 0, len(before)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if l.ok(append(slices.Clone(before[:mid+1]), s)) == want {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// fits reports whether a setting is compatible with the settings made before it, as far as is known.
func (m *OptionModel) fits(before []rule.Setting, s rule.Setting) bool {
	if m.Refused[s.Pair()] {
		return false
	}
	if slices.Contains(m.OneOf, s.Name) && slices.ContainsFunc(before, func(x rule.Setting) bool {
		return x.Name != s.Name && slices.Contains(m.OneOf, x.Name)
	}) {
		return false
	}
	for _, c := range m.Conflicts {
		for i := range c {
			if means(c[i], s) && slices.ContainsFunc(before, func(x rule.Setting) bool { return means(c[1-i], x) }) {
				return false
			}
		}
	}
	need, needs := m.Needs[s.Pair()]
	return !needs || slices.Contains(before, need)
}
