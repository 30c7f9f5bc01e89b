package store

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/oracle"
)

// maxInline bounds what README.md quotes, in bytes.
const maxInline = 6 << 10

// readme writes the page that explains a finding; its first half is meant for an issue tracker.
func readme(f *campaign.Finding, dir string, a *about) string {
	v := &f.Verdict
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s\n", markdown(v.Summary))
	input, text := caseFile, f.Case.Script
	if f.Min != nil {
		input, text = minFile, f.Min.Script
	}
	line("`%s`:\n", input)
	quote(&b, "smt2", text, input)
	runs, of := f.Confirm, caseFile
	if f.Min != nil && len(f.MinRuns) > 0 {
		runs, of = f.MinRuns, minFile
	} else if len(runs) == 0 {
		runs = f.Runs
	}
	line("What the solvers do with `%s`:\n", of)
	line("| solver | version | mode | result | seconds |\n|---|---|---|---|---|")
	for i := range runs {
		r := &runs[i]
		line("| %s | %s | %s | %s | %.2f |", markdown(kindOf(f, r)), markdown(r.Version), r.Mode, markdown(r.Outcome), r.Wall)
	}
	b.WriteByte('\n')
	why(&b, f)
	command(&b, f, runs)
	line("`sh repro.sh` runs it with the solver alone; exit code 10 means that it reproduces.\n")
	line("## How it was found\n")
	reproduced := fmt.Sprintf("%d of %d times in new processes", f.Hits, f.Tries)
	switch {
	case f.Flaky && f.Tries == 0:
		reproduced = "not tried: the campaign ended first"
	case f.Flaky:
		reproduced = fmt.Sprintf("never in %d tries: it may depend on the cases before it, or on chance", f.Tries)
	case f.Mode == "own":
		reproduced += ", in the modes of the campaign, but not in mode fresh"
	default:
		reproduced += ", in mode fresh"
	}
	line("- reproduced %s", reproduced)
	line("- case %d of campaign %s, technique %s, seed 0x%x", f.Case.Origin.Number, markdown(f.Case.Origin.Campaign), markdown(f.Case.Origin.Technique), f.Case.Origin.Seed)
	if len(f.Case.Origin.Seeds) > 0 {
		line("- made from %s", markdown(strings.Join(f.Case.Origin.Seeds, ", ")))
	}
	if len(f.Case.Origin.Steps) > 0 {
		line("- steps: %s", markdown(strings.Join(f.Case.Origin.Steps, ", ")))
	}
	line("- grouped by: %s", markdown(f.Signature.Text))
	line("- size: %d bytes%s", len(f.Case.Script), reducedText(f))
	line("\n`smtlark repro %s` replays it; `%s` makes the case anew.", relative(dir), record(f, nil).Replay)
	line("\n`%s` is the case as it was found, `runs/` has what each target did with it (`confirm-` in the repetition, `min-` with the reduced case), `out/` what it wrote.", caseFile)
	return b.String()
}

// why explains how the right answer is known.
func why(b *strings.Builder, f *campaign.Finding) {
	v := &f.Verdict
	if v.Detail != "" && v.Kind != oracle.KindKnownAnswer && v.Kind != oracle.KindDisagreement && v.Kind != oracle.KindCrash {
		quote(b, "", v.Detail, "finding.json")
	}
	if w := witness(f); w != "" && v.Kind == oracle.KindKnownAnswer {
		fmt.Fprintf(b, "This assignment (`%s`) satisfies every assertion:\n\n", modelFile)
		quote(b, "smt2", w, modelFile)
	}
	if v.Kind != oracle.KindCrash {
		return
	}
	for i := range f.Confirm {
		r := &f.Confirm[i]
		if r.Class == v.Class && r.Message == v.Message {
			if out := strings.TrimSpace(output(r)); out != "" {
				b.WriteString("Output:\n\n")
				quote(b, "", out, "out/")
			}
			return
		}
	}
}

// command names the command line of the wrong run.
func command(b *strings.Builder, f *campaign.Finding, runs []campaign.RunInfo) {
	t, ok := targetNamed(f, first(f.Verdict.Targets))
	if !ok {
		return
	}
	for i := range runs {
		r := &runs[i]
		if r.Target != t.Name || len(r.Argv) == 0 {
			continue
		}
		s := side{target: t, run: *r}
		args, stdin := s.args(f)
		sep := " "
		if stdin {
			sep = " < "
		}
		fmt.Fprintf(b, "Command: `%s%s%s%s`", filepath.Base(t.Path), args, sep, smallest(f))
		if r.Preamble != "" {
			fmt.Fprintf(b, ", with `%s` before the input", strings.ReplaceAll(strings.TrimSpace(r.Preamble), "\n", " "))
		}
		if stdin && r.Mode == "incremental" {
			b.WriteString(", between `(push 1)` and `(pop 1)`")
		}
		b.WriteString("\n\n")
		return
	}
}

func kindOf(f *campaign.Finding, r *campaign.RunInfo) string {
	if t, ok := targetNamed(f, r.Target); ok && t.Kind != "" {
		return t.Kind
	}
	return r.Solver
}

func reducedText(f *campaign.Finding) string {
	d := &f.Reduced
	switch {
	case f.Min != nil && d.Reason != "":
		return fmt.Sprintf(", reduced to %d in %d tests (%s)", len(f.Min.Script), d.Tests, d.Reason)
	case f.Min != nil:
		return fmt.Sprintf(", reduced to %d in %d tests", len(f.Min.Script), d.Tests)
	case d.Reason != "":
		return ", not reduced: " + d.Reason
	}
	return ""
}

// quote writes a fenced block, clipped.
func quote(b *strings.Builder, lang, text, file string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(text) > maxInline {
		cut := strings.LastIndexByte(text[:maxInline], '\n') + 1
		if cut == 0 {
			cut = maxInline
		}
		text = strings.ToValidUTF8(text[:cut], "") + "\n; ... the rest is in " + file
	}
	fmt.Fprintf(b, "%s%s\n%s\n%s\n\n", fence, lang, strings.TrimRight(text, "\n"), fence)
}

// markdown makes a text safe for a line or a table cell.
func markdown(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "`", "'").Replace(s)
}

// Rescue renders a finding that could not be stored, so that nothing is lost.
func Rescue(f *campaign.Finding, err error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "finding NOT STORED (%v): %s\n%s\n", err, f.Verdict.Summary, record(f, nil).Replay)
	w := f.Case
	if f.Min != nil {
		w = f.Min
	}
	b.WriteString(w.Script)
	if w.Witness != "" {
		fmt.Fprintf(&b, "; witness:\n%s", w.Witness)
	}
	return b.String()
}
