package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// Where says where a campaign's files are, for the hints at the end of a summary.
type Where struct {
	Findings string // folder of findings
	Run      string // folder of this run; "" for none
	Again    string // command that runs the same cases again; "" for none
	Program  string // smtlark as the user calls it
	Width    int    // columns of the terminal that the summary goes to; 0 for any number
}

// maxNamed bounds the broken seeds, killed cases and errors that a summary names.
const maxNamed = 10

// Summary writes the results of a campaign.
func Summary(w io.Writer, st *metrics.Stats, where Where) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	rate := 0.0
	if st.Elapsed > 0 {
		rate = float64(st.Cases) / st.Elapsed
	}
	p("%s: %s cases in %s (%.1f/s), seed %s; ended: %s", display.Line(st.Campaign), number(st.Cases), seconds(st.Elapsed), rate, st.Seed, display.Line(st.StopReason))
	if st.Late != "" {
		p("it took %s", display.Line(st.Late))
	}
	p("CPU %s", cpuText(&st.CPU))
	if slices.ContainsFunc(st.Targets, func(t metrics.TargetStats) bool { return t.Runs > 0 }) {
		for _, row := range targetLines(st.Targets, where.Width, -1) {
			p("%s", row)
		}
	}
	for _, text := range edgeLines(st) {
		p("%s", text)
	}
	if st.Cases > 0 { // a run that only settled took nothing
		summaryAPI(p, &st.API)
	}
	if text := cellsText(&st.Cells); text != "" {
		p("%s", text)
	}
	if lines := optionLines(st.Options); len(lines) > 0 && len(lines) <= maxNamed {
		p("%s", strings.Join(lines, "\n"))
	} else if len(lines) > 0 {
		p("options of %d solvers were probed, one at a time; smtlark report has each", len(lines))
	}
	if text := lostText(st); text != "" {
		p("%s", text)
	}
	summaryAvoided(p, st.Avoided)
	summaryTroubles(p, st)
	summaryFindings(p, st)
	next(p, st, where)
}

// summaryAPI says which operators and actions were taken, and names those that never were.
func summaryAPI(p func(string, ...any), a *metrics.APIStats) {
	if a.ActionsClaimed == 0 {
		return
	}
	p("%s", apiText(a))
	for i := range a.Targets {
		if text := tookText(&a.Targets[i]); text != "" {
			p("  %s", display.Line(text))
		}
	}
	for _, x := range []struct {
		what  string
		names []string
	}{{"operators", metrics.Never(a.Operators)}, {"actions", metrics.Never(a.Actions)}} {
		if len(x.names) > 0 {
			p("  %s never taken: %s", x.what, display.Line(firstOf(x.names)))
		}
	}
}

// tookText tells how many operators a target supports, and how many runs the unsupported ones cost. It returns "" if
// the target supports all.
func tookText(t *metrics.TargetTook) string {
	if t.OK == t.Given {
		return ""
	}
	text := fmt.Sprintf("%s takes %d of %d operators", t.Name, t.OK, t.Given)
	for i := range t.Rejects {
		r := &t.Rejects[i]
		if i == maxRejects {
			return text + fmt.Sprintf(" and %d more", len(t.Rejects)-i)
		}
		text += fmt.Sprintf("%s %s: %.3g %% of walks lost", map[bool]string{true: "; rejects", false: ","}[i == 0], r.Name, 100*float64(r.Runs)/float64(max(1, t.Runs)))
	}
	return text
}

// maxRejects bounds the operators that a line names which a target rejects.
const maxRejects = 3

// failed maps the reason for avoiding a shape to words for how targets failed on it.
var failed = map[hazard.Failure]string{
	hazard.Died: "crashed or hung", hazard.Refused: "took none of it", hazard.Wrong: "was wrong",
}

// summaryAvoided lists the shapes that are drawn less often, and why.
func summaryAvoided(p func(string, ...any), list []hazard.Shape) {
	if len(list) == 0 {
		return
	}
	p("%d shapes are avoided now (one case in %d of the usual number has them):", len(list), hazard.Floor)
	asked := map[string][]string{} // shapes by the product that crashed when it was asked about them
	for i := range list {
		shape, product := hazard.Parts(list[i].Name)
		product = cmp.Or(product, "a target")
		if list[i].Cases == 0 {
			asked[product] = append(asked[product], display.Line(shape))
			continue
		}
		p("  %s: %s %s in %s of about %s cases with it", display.Line(shape), display.Line(product),
			failed[list[i].Failure], number(list[i].Failures), number(list[i].Cases))
	}
	for _, product := range slices.Sorted(maps.Keys(asked)) {
		shapes := asked[product]
		more := ""
		if n := len(shapes) - maxNamed; n > 1 {
			more = fmt.Sprintf(" and %d more", n)
			shapes = shapes[:maxNamed]
		}
		p("  %s%s: %s crashed when it was asked about it", strings.Join(shapes, ", "), more, display.Line(product))
	}
}

func summaryTroubles(p func(string, ...any), st *metrics.Stats) {
	if st.Skipped > 0 {
		p("skipped: %s", number(st.Skipped))
		for _, k := range byCount(st.SkippedBy) {
			p("  %8d  %s", st.SkippedBy[k], display.Line(k))
		}
	}
	if st.BrokenSeeds > 0 {
		p("broken seeds: %d (skipped; %d are good)", st.BrokenSeeds, st.Seeds)
		for i, s := range st.Broken {
			if i == maxNamed {
				p("  ... and %d more", st.BrokenSeeds-maxNamed)
				break
			}
			msg, _, _ := strings.Cut(strings.TrimSpace(s.Error), "\n")
			if !strings.HasPrefix(msg, s.File) {
				msg = s.File + ": " + msg
			}
			p("  %s", display.Line(msg))
		}
	}
	if st.Labels.Folder+st.Labels.Trusted > 0 { // not by the word of the files
		p("%s", st.Labels.Text())
	}
	if n := len(st.MislabelledSeeds); n > 0 {
		p("mislabelled seeds: %d; their label has the wrong answer, so their cases are skipped and give no findings", n)
	}
	for i := range st.RefutedList {
		if i == maxNamed {
			p("  ... and %d more", len(st.RefutedList)-maxNamed)
			break
		}
		r := &st.RefutedList[i]
		if i == 0 && len(st.MislabelledSeeds) == 0 {
			p("wrong claims: %s; no findings", number(st.Findings.Refuted))
		}
		p("  %s", display.Line(r.Text()))
	}
	if st.Workers.Restarts > 0 {
		p("workers restarted: %d", st.Workers.Restarts)
		for _, d := range st.Workers.Deaths {
			p("  %s", display.Line(display.Clip(d, 200)))
		}
	}
	for i, k := range st.KilledList {
		if i == maxNamed {
			p("  ... and %d more", st.Killed-maxNamed)
			break
		}
		p("worker killed by case %d: %s", k.Number, display.Line(display.Clip(k.Reason, 200)))
	}
	if st.Errors > 0 {
		p("errors: %d, %d of them internal", st.Errors, st.Internal)
	}
	for _, h := range st.Health {
		p("warning: %s", display.Line(h))
	}
}

// byCount returns the keys, the most frequent first.
func byCount(m map[string]uint64) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if m[a] != m[b] {
			if m[a] > m[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return keys
}

func summaryFindings(p func(string, ...any), st *metrics.Stats) {
	f := &st.Findings
	p("findings: %d new, %d known, %d flaky; %s", f.New, f.Known, f.Flaky, plural(int(f.Duplicates), "duplicate", "duplicates"))
	if f.Reducing > 0 {
		p("  %s", plural(f.Reducing, "finding is not fully reduced: there was no time; the same command continues",
			"findings are not fully reduced: there was no time; the same command continues"))
	}
	if n := f.NewOfReferences + f.KnownOfReferences; n > 0 {
		p("  %s", plural(n, "is of a solver that was only asked what is right, and does not count", "are of solvers that were only asked what is right, and do not count"))
	}
	if f.Waiting > 0 {
		alike := ""
		if f.WaitingLikeKnown > 0 {
			alike = " (" + plural(f.WaitingLikeKnown, "looks like a finding that is there", "look like findings that are there") + ")"
		}
		why := ": there was no time; the same command continues"
		p("  %s", plural(f.Waiting, "verdict is not settled"+alike+why, "verdicts are not settled"+alike+why))
	}
	if f.Reducing+f.Waiting > 0 && f.Settling > 0 {
		p("  smtlark settle does what is left, in about %s, and makes no cases", roughly(f.Settling))
	}
	if f.Suppressed > 0 {
		p("suppressed: %s", number(f.Suppressed))
		for _, k := range byCount(f.SuppressedBy) {
			p("  %8d  %s", f.SuppressedBy[k], display.Line(k))
		}
	}
	for _, l := range f.List {
		state := fmt.Sprintf("reproduced %d of %d", l.Hits, l.Tries)
		switch {
		case l.Known:
			state = "known"
		case l.Flaky && l.Tries == 0:
			state = "not confirmed: no time"
		case l.Flaky:
			state = fmt.Sprintf("flaky: 0 of %d", l.Tries)
		}
		switch {
		case l.To > 0:
			state += fmt.Sprintf(", %d bytes (from %d)", l.To, l.From)
		case l.NotReduced != "":
			state += ", not reduced: " + display.Line(display.Clip(l.NotReduced, 200))
		}
		if l.Count > 1 {
			state += fmt.Sprintf(", seen %d times", l.Count)
		}
		p("  %s", display.Line(l.Dir))
		p("      %s (%s)", display.Line(l.Summary), state)
	}
}

func next(p func(string, ...any), st *metrics.Stats, where Where) {
	if len(st.Findings.List) > 0 && st.Findings.List[0].Dir != "" {
		program := cmp.Or(where.Program, "smtlark")
		p("next: %s repro %s", program, folder.ShellWord(st.Findings.List[0].Dir))
		all := ""
		if out := filepath.Dir(where.Findings); out != "." {
			all = " --out " + folder.ShellWord(out)
		}
		p("      %s findings%s", program, all)
	}
	if where.Again != "" {
		p("again, the same cases: %s", where.Again)
	}
	if where.Run != "" {
		p("statistics and events: %s", where.Run)
	}
}

// roughly writes a time in one unit.
func roughly(seconds float64) string {
	switch {
	case seconds < 90:
		return plural(max(1, int(seconds+0.5)), "second", "seconds")
	case seconds < 90*60:
		return plural(int(seconds/60+0.5), "minute", "minutes")
	}
	return plural(int(seconds/3600+0.5), "hour", "hours")
}
