package coordinator

import (
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// refutations is what a campaign knows of refuted claims.
type refutations struct {
	distrust    wire.Distrust
	unexplained int // claims that no seed's label explains
}

// maxUnexplained is how many claims may be refuted without any seed's label being wrong before the campaign file is to blame.
const maxUnexplained = 20

// distrustSeeds takes in a refuted claim, and returns the seeds that are not trusted any more, with the reason, and are new.
func (r *refutations) distrustSeeds(x *finding.Refutation) wire.Distrust {
	if x.Relation != "" { // which says nothing about what the seed is known to be
		r.unexplained++
		return nil
	}
	seeds, why := x.Seeds, "the label of the seed is wrong: its answer is not "+x.Claimed
	if len(seeds) == 0 {
		r.unexplained++
		seeds, why = x.Of, "a claim about another case of this seed was refuted"
	}
	fresh := wire.Distrust{}
	for _, s := range seeds {
		if _, known := r.distrust[s]; known {
			continue
		}
		if r.distrust == nil {
			r.distrust = wire.Distrust{}
		}
		r.distrust[s], fresh[s] = why, why
	}
	return fresh
}
