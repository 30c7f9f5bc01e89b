package store

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers"
)

// file is one file of a finding's folder.
type file struct {
	name string
	data []byte
	mode fs.FileMode
}

// Names of the files of a finding.
const (
	caseFile  = "case.smt2"
	reproFile = "repro.star"
	minFile   = "min.smt2"
	modelFile = "model.smt2"
	// answersFile has what solvers said when the case was made.
	answersFile = "answers.json"
)

// bundle makes the files of a finding's folder. finding.json comes last: a folder with it is complete. dir is where the
// folder will be.
func bundle(f *finding.Finding, dir string, a *about) ([]file, error) {
	files := inputs(f)
	add := func(name string, data string, mode fs.FileMode) {
		files = append(files, file{name, []byte(data), mode})
	}
	if len(f.Case.Origin.Answers) > 0 {
		text, err := jsonText(f.Case.Origin.Answers)
		if err != nil {
			return nil, fmt.Errorf("finding %d: %w", f.Number, err)
		}
		add(answersFile, string(text), 0o644)
	}
	for _, c := range commands(f) {
		if c.text != "" {
			add(c.input, c.text, 0o644)
		}
	}
	add(reproFile, reproStar(f, nil, false), 0o644)
	add("repro.sh", reproShell(f), 0o755)
	for _, g := range []struct {
		name string
		runs []finding.Run
	}{{"", f.Runs}, {"confirm-", f.Confirm}, {"min-", f.MinRuns}, {"plain-", f.Plain}, {"trial-", trialRuns(f)}} {
		for i := range g.runs {
			r := g.runs[i]
			name := g.name + strings.Trim(notName.ReplaceAllString(r.Target, "-"), "-.")
			if out := output(&r); out != "" {
				add("out/"+name+".txt", out, 0o644)
			}
			r.Stdout, r.Stderr = "", ""
			text, err := jsonText(r)
			if err != nil {
				return nil, err
			}
			add("runs/"+name+".json", string(text), 0o644)
		}
	}
	add("README.md", readme(f, dir, a), 0o644)
	text, err := jsonText(record(f, a))
	if err != nil {
		return nil, fmt.Errorf("finding %d: %w", f.Number, err)
	}
	add(recordFile, string(text), 0o644)
	return files, nil
}

// trialRuns returns the runs of the trials of a finding under the names of their files.
func trialRuns(f *finding.Finding) []finding.Run {
	if f.Upstream == nil {
		return nil
	}
	var out []finding.Run
	for i := range f.Upstream.Trials {
		t := &f.Upstream.Trials[i]
		r := t.Run
		r.Target = fmt.Sprintf("%d-%s-%s-%s", i+1, t.Configuration, t.Kind, t.Version)
		out = append(out, r)
	}
	return out
}

// inputs are the files that repro.star reads.
func inputs(f *finding.Finding) []file {
	var files []file
	add := func(name, data string) { files = append(files, file{name, []byte(data), 0o644}) }
	for _, t := range []struct {
		name string
		wire *testcase.Wire
	}{{"case", f.Case}, {"min", f.Min}} {
		if t.wire == nil {
			continue
		}
		text := caseText(f, t.wire.Script)
		if calls := liveTrace(t.wire); calls.HasCustom() || calls.Several() {
			text = "; " + t.name + ".trace has the calls; this is what the first solver is told of them in SMT-LIB, without actions of a campaign file\n" + text
		}
		add(t.name+".smt2", text)
		if calls := traceText(f, t.wire); calls != "" { // smtlark trace replay takes it
			add(t.name+".trace", calls)
		}
	}
	if name, text := ask(f); name != "" {
		add(name, text)
	}
	for i, text := range f.Before {
		add(beforeFile(i), caseText(f, text))
	}
	if w := witness(f); w != "" {
		add(modelFile, w)
	}
	return append(files, campaignFiles(f)...)
}

// traceText is a case as a trace, with notes of what is known of its answers: of findings about traces, and about C
// libraries, whose calls a trace names.
func traceText(f *finding.Finding, w *testcase.Wire) string {
	if f.Case.Trace == "" && !nativeTarget(f) {
		return ""
	}
	c, err := w.Case(nil)
	if err != nil {
		return w.Trace // it is stored as it is
	}
	return c.WithTruth().Text()
}

// ask is the file with what the solver was asked when it contradicted itself, for a C library a trace; "" if the case says
// it all.
func ask(f *finding.Finding) (name, text string) {
	text = f.Verdict.Asked
	if text == "" {
		return "", ""
	}
	if !nativeTarget(f) {
		return "ask.smt2", text
	}
	script, err := smtlib.Parse("ask", []byte(text), smt.NewArena())
	if err != nil {
		return "", ""
	}
	return "ask.trace", string(solvers.TraceOf(script).AppendTo(nil))
}

// witness returns the assignment that belongs to the smallest case.
func witness(f *finding.Finding) string {
	if f.Min != nil && f.Min.Witness != "" {
		return f.Min.Witness
	}
	return f.Case.Witness
}

// output is what a run wrote.
func output(r *finding.Run) string {
	out := r.Stdout
	if r.Stderr != "" {
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		out += "--- stderr\n" + r.Stderr
	}
	return out
}

// starString writes a string literal of a campaign file.
func starString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// ShellWord quotes a word for sh where it needs it.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-=,:@%") == "" {
		return s
	}
	return shellQuote(s)
}
