package mixture

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/smtlark/smtlark/engine/judge/finding"
)

// banditState is the bandit's persistent state. It has neither features nor lethal shapes, since it is used only for
// parts whose yield consists of verdicts.
type banditState struct {
	Parts   []string           `json:"parts"`
	Folded  int                `json:"folded"`
	Open    map[int][]openCase `json:"open"`
	Weights map[int][]uint32   `json:"weights"`
	Turns   []uint32           `json:"turns"`
	TurnsOf int                `json:"turns_of"`
	Keys    []string           `json:"keys,omitempty"`
	Cases   []float64          `json:"cases"`
	Reward  []float64          `json:"reward"`
}

// openCase is the result of a case of an epoch that is not folded.
type openCase struct {
	N    uint64   `json:"n"`
	Part int      `json:"p"`
	Keys []string `json:"k,omitempty"`
}

// State returns what RestoreBandit goes on from.
func (b *Bandit) State() []byte {
	s := banditState{Parts: namesOf(b.parts), Folded: b.folded, Open: map[int][]openCase{}, Weights: map[int][]uint32{}, Turns: b.turns, TurnsOf: b.turnsOf,
		Keys: slices.Sorted(maps.Keys(b.keys)), Cases: b.cases, Reward: b.reward}
	for epoch, results := range b.open {
		for _, n := range slices.Sorted(maps.Keys(results)) {
			s.Open[epoch] = append(s.Open[epoch], openCase{n, results[n].part, results[n].keys})
		}
	}
	for epoch, w := range b.Weights {
		if epoch >= b.folded { // cases of earlier ones are all done
			s.Weights[epoch] = w
		}
	}
	text, err := json.Marshal(s)
	if err != nil { // numbers and strings; no yield is infinite
		panic(err)
	}
	return text
}

// RestoreBandit returns the bandit of a state, so that the epochs to come have the weights that they would have had.
// Where the state is of other parts, or there is none, it begins anew with the epoch of case next, see NewBandit.
func RestoreBandit(parts []finding.Part, next uint64, state []byte) (*Bandit, error) {
	b := NewBandit(parts, next)
	if len(state) == 0 {
		return b, nil
	}
	var s banditState
	if err := json.Unmarshal(state, &s); err != nil {
		return nil, fmt.Errorf("the shares that an earlier run of this campaign came to cannot be read: %w", err)
	}
	k := len(parts)
	if !slices.Equal(s.Parts, namesOf(parts)) || len(s.Turns) != k || len(s.Cases) != k || len(s.Reward) != k {
		return b, nil
	}
	b.folded, b.turns, b.turnsOf, b.cases, b.reward = s.Folded, s.Turns, s.TurnsOf, s.Cases, s.Reward
	for _, key := range s.Keys {
		b.keys[key] = true
	}
	for epoch, w := range s.Weights {
		if len(w) == 2*k {
			b.Weights[epoch] = w
		}
	}
	for epoch, results := range s.Open {
		b.open[epoch] = map[uint64]yield{}
		for _, c := range results {
			b.open[epoch][c.N] = yield{n: c.N, part: min(c.Part, k-1), keys: c.Keys}
		}
	}
	return b, nil
}

func namesOf(parts []finding.Part) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return names
}
