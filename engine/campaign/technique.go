package campaign

import (
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// Mixture is a technique made of others, of which each case takes one by weight.
//
// Where weights follow the yield, a case must still be the same on every machine. So weights change only from one
// epoch, a fixed range of case numbers, to the next; those of epoch e follow from the results of the epochs up to e-2,
// taken in the order of their cases, and nothing of an epoch is handed out before they are known. Time plays no role: a
// yield is a count of new verdicts and new features per case. But answers may depend on time limits, so the weights are
// sent with the job and recorded in the log and in the origin of every case. --weights replays a case from them alone.
type Mixture interface {
	Technique
	// Parts returns the parts, or nil if weights do not follow the yield.
	Parts() []finding.Part
	// SetWeights sets the weights of the parts for the cases to come, and behind them how many cases the parts had before
	// the epoch (see Slot); nil stands for the parts' own.
	SetWeights(weights []uint32)
}
