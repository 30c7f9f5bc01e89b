package worker

import (
	"maps"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
)

// knowledge has the facts that the coordinator has sent: known groups of verdicts, and seeds with wrong labels. It is
// updated while cases run.
type knowledge struct {
	mu       sync.Mutex
	groups   map[string]*knownGroup // by signature
	distrust wire.Distrust
}

// learn marks groups as known.
func (k *knowledge) learn(o *wire.Known) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range o.Keys {
		g := &knownGroup{}
		if old := k.groups[key]; old != nil {
			g.seen, g.ran = old.seen, old.ran
		}
		g.skeletons, g.vague = o.Skeletons[key], o.Skeletons != nil && hasKey(o.Skeletons, key)
		if k.groups == nil {
			k.groups = map[string]*knownGroup{}
		}
		k.groups[key] = g
	}
}

// forget marks groups as no longer known.
func (k *knowledge) forget(keys []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range keys {
		delete(k.groups, key)
	}
}

// distrustSeeds records seeds whose labels are wrong.
func (k *knowledge) distrustSeeds(seeds wire.Distrust) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.distrust == nil {
		k.distrust = wire.Distrust{}
	}
	maps.Copy(k.distrust, seeds)
}

// distrusts returns the reason for skipping a case whose known answers rest on a wrong label; "" if they do not.
func (k *knowledge) distrusts(c *testcase.Case) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.distrust.Skips(c)
}

// wanted reports whether the coordinator wants the case of a verdict: see bucket. It sets Sampled for cases that are
// sent only as a check.
func (k *knowledge) wanted(s *finding.SignedVerdict) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	g := k.groups[s.Signature.Key]
	if g == nil {
		return true
	}
	if !s.Signature.Vague || !g.vague {
		return false
	}
	g.seen++
	if len(g.skeletons) == 0 {
		return g.seen <= wire.MaxCandidates
	}
	for _, skeleton := range g.skeletons {
		if triage.Within(skeleton, s.Operators) {
			s.Sampled = g.seen <= allSampled || g.seen&(g.seen-1) == 0 // powers of two
			return s.Sampled
		}
	}
	return true
}

// allSampled is the number of first verdicts of a bucket that are all examined as a check. A verdict that reduces to
// the known finding costs a dozen runs. One that does not reveals a second cause, which nothing else distinguishes from
// the first.
const allSampled = 8

// knownGroup is a worker's knowledge of a signature.
type knownGroup struct {
	vague     bool
	skeletons [][]string
	seen      int
	ran       int // number of cases that may be similar runaways
}

// knownRunaway reports whether to examine a possible runaway, and whether the case has all operators of a reduced
// finding.
func (k *knowledge) knownRunaway(key string, operators []string) (ask, same bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	g := k.groups[key]
	if g == nil {
		return true, false
	}
	same = slices.ContainsFunc(g.skeletons, func(s []string) bool { return triage.Within(s, operators) })
	if len(g.skeletons) > 0 && !same {
		return true, false
	}
	g.ran++
	return g.ran&(g.ran-1) == 0, same
}

func hasKey[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}
