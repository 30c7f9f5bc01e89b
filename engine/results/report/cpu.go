package report

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// purposeNames has the names of the purposes of CPU time, for people.
var purposeNames = map[account.Purpose]string{
	account.Cases: "targets", account.Models: "models of seeds", account.Options: "learning options", account.Questions: "questions of the campaign file",
	account.Confirmation: "confirmation", account.Reduction: "reduction", account.Recheck: "findings of earlier runs", account.Loading: "loading", account.Other: "other",
}

// leastShown is the share of all CPU time below which a purpose is not named.
const leastShown = 0.005

// cpuText says where the CPU time of a campaign went.
func cpuText(c *metrics.CPUStats) string {
	engine := fmt.Sprintf("smtlark itself %s (%.1f %%: workers %s, coordinator %s)", seconds(c.Workers+c.Coordinator), 100*c.EngineShare, seconds(c.Workers), seconds(c.Coordinator))
	var parts []string
	rest := c.Lost
	for _, p := range account.Purposes {
		spent := c.Of(p)
		if spent.Solvers < leastShown*c.Total {
			rest += spent.Solvers
			continue
		}
		text := purposeNames[p] + " " + seconds(spent.Solvers)
		if p == account.Models {
			text += fmt.Sprintf(" (%d asked for)", spent.Times)
		}
		parts = append(parts, text)
	}
	if rest >= leastShown*c.Total && rest > 0 {
		parts = append(parts, "other solver time "+seconds(rest))
	}
	return seconds(c.Total) + ": " + strings.Join(append(parts, engine), ", ")
}

// cpuShares describes in a few words the shares of CPU time by purpose.
func cpuShares(c *metrics.CPUStats) string {
	text := fmt.Sprintf("CPU: engine %.0f %%", 100*c.EngineShare)
	for _, p := range account.Purposes {
		if share := c.Of(p).Solvers / max(c.Total, 1e-9); share >= 0.01 {
			text += fmt.Sprintf(", %s %.0f %%", purposeNames[p], 100*share)
		}
	}
	return text
}

// notable are the activities of workers that are worth a look: those that take long, and all that are not a case.
func notable(doing []string) []string {
	var out []string
	for _, d := range doing {
		// As in "case 7 (3 s)" and "case 7: f (a.star:4:11) has computed for 6 s".
		takesLong := strings.HasSuffix(d, " s)") || strings.HasSuffix(d, " s")
		if !strings.HasPrefix(d, "case ") || takesLong {
			out = append(out, d)
		}
	}
	return out
}
