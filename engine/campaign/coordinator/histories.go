package coordinator

import "github.com/smtlark/smtlark/engine/judge/finding"

// maxHistories bounds how often histories of verdicts with one signature are replayed in vain or not to the end. After
// that, no further histories of this signature are replayed.
const maxHistories = 2

// histories counts by signature how often histories were replayed in vain, in this run and, where the store keeps that,
// in earlier ones.
type histories map[string]int

// replayable returns what the process had been given before the verdict, as long as replaying that is worthwhile.
func (h histories) replayable(f *finding.Finding) finding.Sequence {
	if max(f.Tried, h[f.Signature.Key]) >= maxHistories {
		return finding.Sequence{}
	}
	return f.Sequence
}
