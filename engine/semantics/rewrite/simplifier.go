package rewrite

import (
	"maps"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/engine/semantics/law"
)

// Simplifier simplifies the terms of one arena. It follows Release of its arena. It is not safe for concurrent use.
type Simplifier struct {
	application
	applied []int // by law: how often
	folded  int
	visited int
	plain   bool        // laws with a condition are left out
	within  *Simplifier // of conditions: the one that uses the laws that have them; nil if it has nothing to tell

	epoch uint64
	image []smt.Term // by term: its simplified form; 0 if not known
	state []state
	stack []frame
	args  []smt.Term

	touched []smt.Term // of a brief simplifier: the terms of which something is remembered

	made       map[choice]*law.Rule
	accept     func() bool
	acceptPair func(rest []smt.Term) bool
	ground     *eval.Evaluator
}

// state is the state of a term whose image is known.
type state uint8

const (
	isGround state = 1 << iota // literals and operators of theories alone
	isFinal                    // it has been computed, or cannot be
)

// frame is a term that is being simplified.
type frame struct {
	t     smt.Term
	next  int32
	built smt.Term // the term with its arguments simplified; 0 before
	to    smt.Term // the rewritten form of built; 0 before
}

// choice is a law with its numbers.
type choice struct {
	law     int
	numbers [3]int64
}

// maxMade bounds the laws with their numbers that a simplifier remembers: an index may be any number that occurs in a
// term.
const maxMade = 1 << 12

// New returns a simplifier of the arena's terms.
func New(a *smt.Arena, r *Rules) *Simplifier {
	s := &Simplifier{application: applicationIn(a, r), applied: make([]int, len(r.laws)), made: map[choice]*law.Rule{}}
	s.off = make([]bool, len(r.laws))
	s.epoch = a.Epoch()
	s.accept, s.acceptPair, s.around = s.put, s.putPair, s
	return s
}

// Without leaves a law out from now on.
func (s *Simplifier) Without(name string) error {
	n, err := s.rules.find(name)
	if err != nil {
		return err
	}
	s.off[n] = true
	if s.conditions != nil {
		s.conditions.off[n] = true
	}
	s.Forget()
	return nil
}

// Forget drops the cached results for terms.
func (s *Simplifier) Forget() {
	if s.brief {
		for _, t := range s.touched {
			s.image[t], s.state[t] = 0, 0
		}
		s.touched = s.touched[:0]
	} else {
		clear(s.image)
		clear(s.state)
	}
	if s.conditions != nil {
		s.conditions.Forget()
	}
}

// follow forgets the known facts about released terms, whose numbers now denote other terms.
func (s *Simplifier) follow() {
	e := s.a.Epoch()
	if e == s.epoch {
		return
	}
	s.epoch = e
	s.Forget()
	if s.ground != nil {
		s.ground.Reset(nil) // it would keep values of terms that were there before it
	}
}

// Counters are counts since the simplifier was made.
type Counters struct {
	Terms   int            // that were looked at
	Folded  int            // ground terms that were computed
	Applied map[string]int // by law
}

// Stats returns the counts.
func (s *Simplifier) Stats() Counters {
	out := Counters{Terms: s.visited, Folded: s.folded, Applied: map[string]int{}}
	for i, n := range s.applied {
		if n > 0 {
			out.Applied[s.rules.laws[i].Name] = n
		}
	}
	if s.conditions != nil {
		x := s.conditions.Stats()
		out.Folded += x.Folded
		for name, n := range x.Applied {
			out.Applied[name] += n
		}
	}
	return out
}

// Names returns the laws that were applied, the most frequent first.
func (s *Counters) Names() []string {
	return slices.SortedFunc(maps.Keys(s.Applied), func(x, y string) int {
		if d := s.Applied[y] - s.Applied[x]; d != 0 {
			return d
		}
		if x < y {
			return -1
		}
		return 1
	})
}

// Term returns a term that has the same value under every interpretation and to which no rule applies any more.
func (s *Simplifier) Term(root smt.Term) smt.Term {
	s.follow()
	s.run(root)
	return s.image[root]
}

func (s *Simplifier) grow() {
	if n := s.a.Len(); n > len(s.image) {
		n += n / 4
		s.image = append(s.image, make([]smt.Term, n-len(s.image))...)
		s.state = append(s.state, make([]state, n-len(s.state))...)
	}
}

// run finds the images of a term and of all below it. It has a stack of its own, so depth does not matter.
func (s *Simplifier) run(root smt.Term) {
	s.grow()
	s.stack = append(s.stack[:0], frame{t: root})
	for len(s.stack) > 0 {
		f := &s.stack[len(s.stack)-1]
		switch {
		case s.image[f.t] != 0:
		case f.to != 0:
			s.remember(f.t, s.image[f.to])
			s.remember(f.built, s.image[f.to])
		case s.below(f):
			continue
		case f.built != f.t && s.image[f.built] != 0:
			s.remember(f.t, s.image[f.built])
		default:
			s.visited++
			to := s.step(f.built)
			s.grow()
			if to != f.built {
				f.to = to
				s.stack = append(s.stack, frame{t: to})
				continue
			}
			s.remember(f.t, to)
			s.remember(to, to)
			s.state[to] |= s.kind(to)
		}
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// remember stores the simplified form of a term.
func (s *Simplifier) remember(t, to smt.Term) {
	if s.brief {
		s.touched = append(s.touched, t)
	}
	s.image[t] = to
}

// below pushes an argument that has no image yet, or puts the term together with its arguments simplified.
func (s *Simplifier) below(f *frame) bool {
	op, args := s.a.Look(f.t)
	if len(args) == 0 {
		f.built = f.t
		return false
	}
	end := len(args)
	if f.next == 0 && op.Structural() {
		f.next = int32(len(s.a.BoundVars(f.t)))
	}
	if op == smt.OpAnnot {
		end = 1 // patterns stay as they are
	}
	for int(f.next) < end {
		x := args[f.next]
		f.next++
		if s.image[x] == 0 && !s.settled(x) {
			s.stack = append(s.stack, frame{t: x})
			return true
		}
	}
	first := 0
	if op.Structural() {
		first = len(s.a.BoundVars(f.t))
	}
	same := true
	for _, x := range args[first:end] {
		same = same && s.image[x] == x
	}
	if f.built = f.t; same {
		return false
	}
	s.args = append(s.args[:0], args...)
	for i := first; i < end; i++ {
		s.args[i] = s.image[args[i]]
	}
	f.built = s.a.With(f.t, s.args)
	s.grow()
	return false
}

// settled takes over the known facts about a term to which no law applies, with a condition or without one: laws
// without one do not, either.
func (s *Simplifier) settled(t smt.Term) bool {
	w := s.within
	if w == nil || int(t) >= len(w.image) || w.image[t] != t {
		return false
	}
	s.remember(t, t)
	s.state[t] = w.state[t]
	return true
}

// kind returns whether a term whose arguments have images is ground.
func (s *Simplifier) kind(t smt.Term) state {
	op, args := s.a.Look(t)
	if s.a.IsLiteral(t) {
		return isGround | isFinal
	}
	if op.Structural() {
		return 0
	}
	if len(args) == 0 {
		return isGround | isFinal
	}
	for _, x := range args {
		if s.state[x]&isGround == 0 {
			return 0
		}
	}
	return isGround
}

// step rewrites a term whose arguments cannot be simplified, once.
func (s *Simplifier) step(t smt.Term) smt.Term {
	op, args := s.a.Look(t)
	if len(args) == 0 || s.state[t]&isFinal != 0 {
		return t
	}
	if op.Structural() {
		if body := args[len(args)-1]; (op == smt.OpForall || op == smt.OpExists) && (body == s.a.True() || body == s.a.False()) {
			s.folded++
			return body // no sort is empty
		}
	} else if s.kind(t)&isGround != 0 {
		if to := s.fold(t); to != 0 {
			return to // t itself where it is written as a value already
		}
	}
	if len(args) > 2 && template.Associative(op) && op.Info().Commutative {
		if to := s.foldSome(t, args); to != 0 {
			return to
		}
	}
	list := s.entries(op, toLighter)
	if len(list) == 0 {
		return t
	}
	have := s.features(args)
	for i := range list {
		e := &list[i]
		if !e.suits(&have) || s.off[e.law.number] {
			continue
		}
		if to := s.apply(e, t); to != 0 {
			s.applied[e.law.number]++
			return to
		}
	}
	return t
}

// Limits for computing ground terms: larger ones stay unchanged.
const (
	maxLength = 1 << 10
	maxBits   = 1 << 12
	maxSteps  = 1 << 14
)

// fold returns the value of a ground term as a term; 0 where it is not known, or no smaller.
func (s *Simplifier) fold(t smt.Term) smt.Term {
	a := s.a
	if a.Sort(t) == smt.SortRegLan {
		return 0
	}
	if s.ground == nil {
		s.ground = eval.New(a, nil)
		s.ground.Limits.Length, s.ground.Limits.Bits, s.ground.Limits.Steps = maxLength, maxBits, maxSteps
	}
	v, err := s.ground.Eval(t)
	if err != nil {
		return 0
	}
	to, err := value.ToTerm(a, v)
	if to == t {
		return t
	}
	if err != nil || a.Sort(to) != a.Sort(t) || !a.IsLiteral(to) && a.Size(to) > a.Size(t) {
		return 0
	}
	s.grow()
	a.PostOrder([]smt.Term{to}, func(x smt.Term) {
		s.remember(x, x)
		s.state[x] = isGround | isFinal
	})
	s.folded++
	return to
}

// foldSome puts the ground arguments of an associative and commutative operator together; 0 where there are fewer than
// two.
func (s *Simplifier) foldSome(t smt.Term, args []smt.Term) smt.Term {
	a := s.a
	ground := 0
	for _, x := range args {
		if s.state[x]&isGround != 0 {
			ground++
		}
	}
	if ground < 2 {
		return 0
	}
	var some, rest []smt.Term
	for _, x := range args {
		if s.state[x]&isGround != 0 {
			some = append(some, x)
		} else {
			rest = append(rest, x)
		}
	}
	part := a.With(t, some)
	to := s.fold(part)
	if to == 0 || to == part {
		return 0
	}
	return a.With(t, append(rest, to))
}

// apply rewrites a term by a law; 0 if the law does not apply.
func (s *Simplifier) apply(e *entry, t smt.Term) smt.Term {
	if s.plain && e.law.conditional {
		return 0
	}
	s.entry, s.term, s.result = e, t, 0
	if e.pair {
		s.match.MatchPair(e.shape, t, len(e.law.Parameters), s.acceptPair)
	} else {
		s.match.Match(e.shape, t, len(e.law.Parameters), s.accept)
	}
	return s.result
}

// put stores the rewritten term in result.
func (s *Simplifier) put() bool {
	s.result = s.rewritten(s.entry, s.term)
	return s.result != 0
}

// putPair notes the term with two of its arguments rewritten to one, whose place is open.
func (s *Simplifier) putPair(rest []smt.Term) bool {
	to := s.rewritten(s.entry, s.term)
	if to == 0 {
		return false
	}
	for i, x := range rest {
		if x == 0 {
			rest[i] = to
		}
	}
	s.result = s.a.With(s.term, rest)
	return true
}

// rewritten returns the other side of a law for the match of t; 0 if the law does not hold there.
func (s *Simplifier) rewritten(e *entry, t smt.Term) smt.Term {
	l, b := e.law, &s.bindings
	if !s.bind(l, t) {
		return 0
	}
	r := s.rule(l, b)
	if r == nil {
		return 0
	}
	return s.other(l, r, t)
}

// rule returns a law for numbers, remembered by this simplifier; nil if there is none.
func (s *Simplifier) rule(l *ruled, b *smt.Bindings) *law.Rule {
	key := choice{law: l.number}
	if len(l.letters) <= len(key.numbers) {
		for i, v := range l.letters {
			n, ok := b.Number(v)
			if !ok {
				return nil
			}
			key.numbers[i] = n
		}
		if r, ok := s.made[key]; ok {
			return r
		}
	}
	r, err := s.rules.rule(l, b)
	s.noteError(err)
	if len(l.letters) <= len(key.numbers) {
		if len(s.made) >= maxMade { // the law makes them again as they were
			clear(s.made)
		}
		s.made[key] = r
	}
	return r
}
