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

// knownText has what builds that many people have were found to take: asking takes seconds, of each user once a build.
//
//go:embed known.json
var knownText []byte

// Known has the answers of a build to questions about what it takes, with the profile of this version of smtlark.
type Known struct {
	Solver  string         `json:"solver"`
	SHA256  string         `json:"sha256"` // of its files
	Library bool           `json:"library,omitempty"`
	Asked   string         `json:"asked"` // what it was asked, as a hash: with another profile it is asked something else
	Facts   *solvers.Facts `json:"facts"`
}

// KnownBuilds returns the table.
var KnownBuilds = sync.OnceValue(func() (table []Known) {
	if err := json.Unmarshal(knownText, &table); err != nil { // a test reads it
		panic(fmt.Sprintf("known.json: %v", err))
	}
	return table
})

// RowOf returns the row of a solver without options: what it is asked, and its facts if it was.
func RowOf(s *Solver) Known {
	q := inquiry{solver: s}
	h := sha256.Sum256([]byte(q.key()))
	k := Known{Solver: s.Found.Name, SHA256: q.build(), Library: s.Opt.Mode == solvers.Native, Asked: hex.EncodeToString(h[:16])}
	if s.Learned != nil {
		k.Facts = s.Learned.Facts
	}
	return k
}

// knownFacts returns the text of what the table says of a solver.
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

// askAnyhow knows of no solver.
func askAnyhow(*Solver) (string, bool) { return "", false }
