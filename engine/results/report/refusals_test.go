package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// The table of refusals has all rows; the summary has only those above half a percent.
func TestRefusalRows(t *testing.T) {
	st := &metrics.Stats{Refused: metrics.Refusals{
		{Name: "a", Techniques: []metrics.TechniqueRefusals{{Name: "storm", Runs: 1000, Declined: 5, Reasons: []metrics.Refused{{Class: "refusal", Message: "no such logic", Runs: 5, Case: 9}}}}},
		{Name: "b", Techniques: []metrics.TechniqueRefusals{
			{Name: "probe", Runs: 60, Rejected: 1, Reasons: []metrics.Refused{{Class: "parse-error", Message: "what?", Runs: 1, Case: 3}}},
			{Name: "storm", Runs: 40, Rejected: 1, NotMeant: 7, Reasons: []metrics.Refused{{Class: "parse-error", Message: "what?", Runs: 1, Case: 2}}},
		}},
		{Name: "c", Techniques: []metrics.TechniqueRefusals{{Name: "storm", Runs: 10}}},
	}}
	require.Equal(t, [][]string{
		{"a", "1,000", "5", "0", "0.50 %", "0", ""},
		{"· no such logic", "", "5", "", "", "", "9"},
		{"b", "100", "0", "2", "2.00 %", "7", ""},
		{"· what?", "", "", "2", "", "", "2"},
		{"c", "10", "0", "0", "0.00 %", "0", ""},
	}, refusalRows(st.Refused)[1:])
	require.Equal(t, "declined or rejected: b 2.0 % of 100 runs (what?); smtlark report lists all", lostText(st))
	st.Refused = st.Refused[:1]
	require.Empty(t, lostText(st))
}
