package target

import (
	"crypto/sha256"
	_ "embed" // the table
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/smtlark/smtlark/solvers"
)

// knownText has the learned facts of widely used builds. Asking such a build would cost each user some seconds.
//
//go:embed known.json
var knownText []byte

// Known has the answers of a build to questions about which input it accepts, for the profile of this version of
// smtlark.
type Known struct {
	Solver  string         `json:"solver"`
	SHA256  string         `json:"sha256"` // of its files
	Library bool           `json:"library,omitempty"`
	Asked   string         `json:"asked"` // hash of the questions, which depend on the profile
	Facts   *solvers.Facts `json:"facts"`
}

// KnownBuilds returns the table.
var KnownBuilds = sync.OnceValue(func() (table []Known) {
	if err := json.Unmarshal(knownText, &table); err != nil { // a test reads it
		panic(fmt.Sprintf("known.json: %v", err))
	}
	return table
})

// RowOf returns the table row of a solver without options: the hash of its questions, and its facts if it was asked.
func RowOf(s *Solver) Known {
	q := inquiry{solver: s}
	h := sha256.Sum256([]byte(q.key()))
	k := Known{Solver: s.Found.Name, SHA256: q.build(), Library: s.Opt.Mode == solvers.Native, Asked: hex.EncodeToString(h[:16])}
	if s.Learned != nil {
		k.Facts = s.Learned.Facts
	}
	return k
}

// knownFacts returns the facts of a solver from the table, as text.
func knownFacts(s *Solver) (string, bool) {
	asked := RowOf(s).Asked
	for _, k := range KnownBuilds() {
		if k.Asked == asked {
			text, err := json.Marshal(k.Facts)
			return string(text), err == nil
		}
	}
	return "", false
}

// askAnyhow reports no solver as known, so that all are asked.
func askAnyhow(*Solver) (string, bool) { return "", false }
