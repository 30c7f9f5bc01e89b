package coordinator

import "github.com/smtlark/smtlark/engine/judge/finding"

// maxHistories bounds the failed or unfinished replays of histories per signature. After that, no further histories of
// this signature are replayed.
const maxHistories = 2

// histories counts by signature how often histories were replayed in vain, in this run and, where the store keeps that,
// in earlier ones.
type histories map[string]int

// replayable returns the input that the process had been given before the verdict. It returns nothing if too many
// replays for this signature have failed.
func (h histories) replayable(f *finding.Finding) finding.Sequence {
	if max(f.Tried, h[f.Signature.Key]) >= maxHistories {
		return finding.Sequence{}
	}
	return f.Sequence
}
