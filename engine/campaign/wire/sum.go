package wire

import (
	"bytes"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// SumResults replaces, in the reports of a job, the announcements and results of cases that need no other report by
// Counted. The reports come a line each, and targets is the number of targets. Reports that cannot be read stay as they
// are: their receiver reports the error.
func SumResults(text []byte, targets int) []byte {
	var out []byte
	var sum *Counted
	var begun *CaseBegun
	var begunLine []byte // which is not written yet
	flush := func() error {
		if sum != nil {
			line, err := Marshal(sum)
			if err != nil {
				return err
			}
			out = append(append(out, line...), '\n')
		}
		out = append(out, begunLine...)
		sum, begun, begunLine = nil, nil, nil
		return nil
	}
	for line := range bytes.Lines(text) {
		report, err := ParseReport(bytes.TrimSuffix(line, []byte{'\n'}))
		if err != nil {
			return text
		}
		switch r := report.(type) {
		case *CaseBegun:
			if begun != nil {
				return text
			}
			begun, begunLine = r, line
			continue
		case *CaseResult:
			if !r.canBeSummed() || begun == nil || begun.N != r.N {
				break
			}
			if sum != nil && sum.N+sum.Cases() != r.N {
				return text
			}
			if sum == nil {
				sum = &Counted{N: r.N}
			}
			if sum.Add(&metrics.Made{Technique: r.Technique, Steps: r.Steps, Repeat: r.Repeat, Cases: 1, Make: r.Make}, r.Runs, targets) != nil {
				return text
			}
			begun, begunLine = nil, nil
			continue
		}
		if flush() != nil {
			return text
		}
		out = append(out, line...)
	}
	if flush() != nil {
		return text
	}
	return out
}

// canBeSummed reports whether nothing is to be said of the case but what made it and how its runs ended.
func (r *CaseResult) canBeSummed() bool {
	return r.IsPlain() && r.Hash == "" && r.Features == nil && r.Case == nil && r.Ahead.Len() == 0
}
