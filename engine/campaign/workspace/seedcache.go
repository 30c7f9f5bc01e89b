package workspace

import (
	"slices"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/generate/acceptance"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers/rule"
)

// seedBudget bounds the memory of the seeds that a thread keeps parsed: bytes, as far as they can be told.
const seedBudget = 96 << 20

// seedCache keeps the seeds that were used last, parsed. Each has an arena of its own.
type seedCache struct {
	byKey map[string]*seedEntry
	first *seedEntry // the one used last
	last  *seedEntry
	size  int
	// shapes are those of seeds, parsed or no longer: some dozens each.
	shapes map[string][]rule.Lack
}

type seedEntry struct {
	key        string
	c          *AnalyzedCase
	size       int
	prev, next *seedEntry
}

// Seed returns a seed as a case that is accepted by the targets of the case being made. The error reports that they do
// not accept it, or that it cannot be read or parsed.
func (s *ThreadState) Seed(src corpus.Seed) (*AnalyzedCase, error) {
	c, err := s.anySeed(src)
	if err != nil || s.Accepted == nil {
		return c, err
	}
	for _, fact := range s.Accepted.Facts {
		s.NoteAnswer(fact)
	}
	if why := s.Accepted.DeclinesSeed(src.Key(), c.tc); why != "" {
		return nil, &declinedError{src.Name(), why}
	}
	for _, shape := range s.seedShapes(src.Key(), c.tc) {
		if slices.Contains(s.Avoided, shape) {
			return nil, &declinedError{src.Name(), shape.String()}
		}
	}
	return c, nil
}

// seedShapes returns the shapes of a seed where some are avoided.
func (s *ThreadState) seedShapes(key string, tc *testcase.Case) []rule.Lack {
	if len(s.Avoided) == 0 {
		return nil
	}
	shapes, known := s.seeds.shapes[key]
	if !known {
		shapes = acceptance.Shapes(tc.Script)
		if s.seeds.shapes == nil {
			s.seeds.shapes = map[string][]rule.Lack{}
		}
		s.seeds.shapes[key] = shapes
	}
	return shapes
}

// anySeed returns a seed as a case, regardless of which targets accept it.
func (s *ThreadState) anySeed(src corpus.Seed) (*AnalyzedCase, error) {
	sc := &s.seeds
	if e := sc.byKey[src.Key()]; e != nil {
		sc.unlink(e)
		sc.push(e)
		size := e.c.size() // models have come since
		sc.size += size - e.size
		e.size = size
		s.Use(e.c.st)
		return e.c, nil
	}
	text, err := src.Read()
	if err != nil {
		return nil, err
	}
	c, err := parseSeed(src.Name(), text)
	if err != nil {
		return nil, err
	}
	c.tc.Origin.Seeds = []string{src.Name()}
	c.tc.Origin.SeedScript = testcase.NewSeedScript(c.tc.Script)
	labelSeed(c, src)
	if sc.byKey == nil {
		sc.byKey = map[string]*seedEntry{}
	}
	e := &seedEntry{key: src.Key(), c: c, size: c.size()}
	sc.byKey[e.key] = e
	sc.size += e.size
	sc.push(e)
	s.Use(c.st)
	return c, nil
}

// size estimates the memory of a seed with its models in bytes.
func (c *AnalyzedCase) size() int {
	return 96<<10 + 160*c.st.Arena.Len() + 80*(1+len(c.models.known))*c.st.Arena.NumSymbols()
}

func (sc *seedCache) push(e *seedEntry) {
	e.prev, e.next = nil, sc.first
	if sc.first != nil {
		sc.first.prev = e
	}
	sc.first = e
	if sc.last == nil {
		sc.last = e
	}
}

func (sc *seedCache) unlink(e *seedEntry) {
	if e.prev != nil {
		e.prev.next = e.next
	} else {
		sc.first = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else {
		sc.last = e.prev
	}
}

// trim forgets the seeds that were not used for longest, between cases.
func (sc *seedCache) trim() {
	for sc.size > seedBudget && sc.last != sc.first {
		e := sc.last
		sc.unlink(e)
		delete(sc.byKey, e.key)
		sc.size -= e.size
	}
}
