package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
)

// title names a report.
func title(d *Data) string {
	if d.Run != nil && d.Run.Stats.Campaign != "" {
		return "smtlark: " + d.Run.Stats.Campaign
	}
	return "smtlark: " + d.Folder
}

// verdict sums up the findings in a sentence.
func verdict(d *Data) string {
	solid, flaky := d.Counts()
	by := map[string]int{}
	for i := range d.Findings {
		if !d.Findings[i].Flaky && !d.Findings[i].IsDismissed() {
			by[d.Findings[i].Verdict.Kind]++
		}
	}
	names := make([]string, 0, len(by))
	for k := range by {
		names = append(names, k)
	}
	slices.SortFunc(names, func(a, b string) int {
		if by[a] != by[b] {
			return by[b] - by[a]
		}
		return strings.Compare(a, b)
	})
	for i, k := range names {
		names[i] = fmt.Sprintf("%d %s", by[k], k)
	}
	text := "No findings"
	if solid > 0 {
		text = fmt.Sprintf("%s (%s)", plural(solid, "finding", "findings"), strings.Join(names, ", "))
	}
	if flaky > 0 {
		text += fmt.Sprintf(", %d that did not reproduce", flaky)
	}
	if n := len(d.Findings) - solid - flaky; n > 0 {
		text += fmt.Sprintf(", %d dismissed", n)
	}
	if d.Run != nil && d.OneRun {
		s := d.Run.Stats
		text += fmt.Sprintf(" in %s cases and %s", number(s.Cases), duration(s.Elapsed))
	} else if n := len(d.Runs); n > 0 {
		text += fmt.Sprintf(" in %s", plural(n, "run", "runs"))
	}
	return text + "."
}

// fact is a line of a table of facts.
type fact struct{ Name, Value string }

// environment lists the facts about a run that a reader needs.
func environment(r *reportRun) []fact {
	s := r.Stats
	facts := []fact{{"run", r.ID}, {"state", s.State}}
	if s.StopReason != "" {
		facts = append(facts, fact{"ended", s.StopReason})
	}
	facts = append(facts, fact{"campaign file", s.File}, fact{"technique", s.Technique}, fact{"seed", s.Seed})
	for _, k := range sortedKeys(r.Set) {
		facts = append(facts, fact{"--set " + k, r.Set[k]})
	}
	if !s.Started.IsZero() {
		facts = append(facts, fact{"started", s.Started.UTC().Format("2006-01-02 15:04:05 MST")})
	}
	rate := 0.0
	if s.Elapsed > 0 {
		rate = float64(s.Cases) / s.Elapsed
	}
	facts = append(facts, fact{"run time", duration(s.Elapsed)}, fact{"cases", fmt.Sprintf("%s (%.1f/s)", number(s.Cases), rate)})
	if s.Skipped > 0 {
		facts = append(facts, fact{"skipped", number(s.Skipped)})
	}
	facts = append(facts,
		fact{"seeds", fmt.Sprintf("%d usable, %d broken", s.Seeds, s.BrokenSeeds)},
		fact{"workers", fmt.Sprintf("%d, restarted %s", s.Workers.Wanted, plural(s.Workers.Restarts, "time", "times"))},
		fact{"CPU time", cpuText(&s.CPU)})
	if len(s.Workers.Machines) > 0 {
		facts = append(facts, fact{"machines", machinesText(s.Workers.Machines)})
	}
	if r.Plan != nil {
		if len(r.Plan.Oracles) > 0 {
			facts = append(facts, fact{"oracles", strings.Join(r.Plan.Oracles, ", ")})
		}
		if l := r.Plan.Limits; l.Wall > 0 || l.Memory > 0 {
			facts = append(facts, fact{"limits of a run", limitsText(l.Wall.String(), l.Memory)})
		}
	}
	for i := range facts {
		facts[i] = fact{display.Text(facts[i].Name), display.Text(facts[i].Value)}
	}
	return facts
}

// maxMachines bounds the machines that a report names.
const maxMachines = 100

// machinesText names joined machines with their workers.
func machinesText(all []metrics.MachineStats) string {
	var out []string
	for _, m := range all[:min(len(all), maxMachines)] {
		text := fmt.Sprintf("%s: %s", m.Name, plural(m.Workers, "worker", "workers"))
		if len(m.Labels) > 0 {
			text += " (" + strings.Join(m.Labels, ", ") + ")"
		}
		if m.Note != "" {
			text += ", " + m.Note
		}
		out = append(out, text)
	}
	if more := len(all) - maxMachines; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, "; ")
}

func limitsText(wall string, memory int64) string {
	var out []string
	if wall != "0s" {
		out = append(out, wall)
	}
	if memory > 0 {
		out = append(out, fmt.Sprintf("%d MiB", memory>>20))
	}
	return strings.Join(out, ", ")
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// yieldRows is the table of techniques and mutators, its head first.
func yieldRows(s *metrics.Stats) [][]string {
	rows := [][]string{{"technique or mutator", "cases", "skipped", "repeats", "verdicts", "findings", "ms to make"}}
	counts := len(s.Edges) > 0
	if counts {
		rows[0] = append(rows[0], "first edges")
	}
	add := func(list []metrics.TechniqueStats, prefix string) {
		for i := range list {
			t := &list[i]
			ms := "–"
			if t.Cases > 0 {
				ms = fmt.Sprintf("%.1f", 1000*t.MakeTime/float64(t.Cases))
			}
			rows = append(rows, []string{prefix + display.Text(t.Name), number(t.Cases), number(t.Skipped), percent(t.Repeats, t.Cases), number(t.Verdicts), number(t.Findings), ms})
			if counts {
				rows[len(rows)-1] = append(rows[len(rows)-1], number(t.Edges))
			}
		}
	}
	add(foldIdle(s.Techniques, "techniques"), "")
	add(foldIdle(s.Steps, "mutators"), "· ")
	return rows
}

// mostIdle is the greatest number of rows without a result; further ones are folded into one row.
const mostIdle = 8

// foldIdle puts techniques or mutators without a verdict and without a new edge into one row where they are many.
func foldIdle(list []metrics.TechniqueStats, what string) []metrics.TechniqueStats {
	var out []metrics.TechniqueStats
	var rest metrics.TechniqueStats
	idle := 0
	for i := range list {
		t := &list[i]
		if t.Verdicts+t.Findings+t.Edges > 0 {
			out = append(out, *t)
			continue
		}
		idle++
		rest.Cases += t.Cases
		rest.Skipped += t.Skipped
		rest.Repeats += t.Repeats
		rest.MakeTime += t.MakeTime
	}
	if idle <= mostIdle {
		return list
	}
	rest.Name = fmt.Sprintf("%d %s without a verdict", idle, what)
	return append(out, rest)
}
