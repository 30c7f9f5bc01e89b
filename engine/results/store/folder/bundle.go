package folder

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers/tracetext"
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
	seedFile  = "seed.smt2" // what the case was made of, where a verdict is about both; reduced together with it
	// foundSeedFile is the seed of case.smt2, where the two were reduced.
	foundSeedFile = "case-seed.smt2"
	// answersFile has the answers of solvers from the time when the case was made.
	answersFile = "answers.json"
)

// FilesOf makes the files of a finding's folder. finding.json comes last: a folder with it is complete. dir is where
// the folder will be. The record is that of finding.json.
func FilesOf(f *finding.Finding, dir string, told *Lifecycle) ([]file, *Record, error) {
	files := replayInputs(f)
	add := func(name string, data string, mode fs.FileMode) {
		files = append(files, file{name, []byte(data), mode})
	}
	if len(f.Case.Origin.Answers) > 0 {
		text, err := durable.JSON(f.Case.Origin.Answers)
		if err != nil {
			return nil, nil, fmt.Errorf("finding %d: %w", f.Number, err)
		}
		add(answersFile, string(text), 0o644)
	}
	for _, c := range showingCommands(f) {
		if c.text != "" {
			add(c.input, c.text, 0o644)
		}
	}
	add(reproFile, reproStar(f, nil, false), 0o644)
	shell, err := reproShell(f)
	if err != nil {
		return nil, nil, fmt.Errorf("finding %d: %w", f.Number, err)
	}
	add("repro.sh", shell, 0o755)
	for _, g := range []struct {
		name string
		runs []finding.Run
	}{{"", f.Runs}, {"confirm-", f.Confirm}, {"min-", f.MinRuns}, {"plain-", f.Plain}, {"trial-", trialRuns(f)}} {
		for i := range g.runs {
			r := g.runs[i]
			name := g.name + durable.FileName(r.Target)
			if out := outputOf(&r); out != "" {
				add("out/"+name+".txt", out, 0o644)
			}
			// They have a file of their own, which people can read.
			r.Stdout, r.Stderr = "", ""
			text, err := durable.JSON(r)
			if err != nil {
				return nil, nil, err
			}
			add("runs/"+name+".json", string(text), 0o644)
		}
	}
	readme, err := writeReadme(f, dir, told)
	if err != nil {
		return nil, nil, fmt.Errorf("finding %d: %w", f.Number, err)
	}
	add("README.md", readme, 0o644)
	record := RecordOf(f, told)
	text, err := durable.JSON(record)
	if err != nil {
		return nil, nil, fmt.Errorf("finding %d: %w", f.Number, err)
	}
	add(recordFile, string(text), 0o644)
	return files, record, nil
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

// replayInputs are the files that repro.star reads.
func replayInputs(f *finding.Finding) []file {
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
		if calls := liveTrace(t.wire); calls.HasCustom() || calls.Several() || calls.HasSame() {
			text = "; " + t.name + ".trace has the calls; this is what the first solver is told of them in SMT-LIB, without actions of a campaign file\n" + text
		}
		add(t.name+".smt2", text)
		if calls := traceText(t.wire); calls != "" { // smtlark trace replay takes it
			add(t.name+".trace", calls)
		}
	}
	if name := askedFile(f); name != "" {
		add(name, f.Verdict.Asked)
	}
	for i, text := range f.Before {
		add(beforeFile(i), caseText(f, text))
	}
	if text := comparedWith(f); text != "" {
		add(seedFile, text)
		if f.Case.SeedScript != text { // reduced
			add(foundSeedFile, f.Case.SeedScript)
		}
	}
	if w := smallestWitness(f); w != "" {
		add(modelFile, w)
	}
	return append(files, campaignFiles(f)...)
}

// traceText is a case that is a trace, with notes of the known facts about its answers; "" for a script. A library's
// script is no trace: the texts of its commands choose among equivalent calls, and the calls of a trace would choose
// others.
func traceText(w *testcase.Wire) string {
	if w.Trace == "" {
		return ""
	}
	c, err := w.Case(nil)
	if err != nil {
		return w.Trace // it is stored as it is
	}
	return tracetext.Text(c.WithTruth())
}

// askedFile names the file with the queries on which the solver contradicted itself; "" if the case has them all.
func askedFile(f *finding.Finding) string {
	if f.Verdict.Asked == "" {
		return ""
	}
	return "ask.smt2"
}

// comparedWith is the text of the seed that a verdict compares the smallest case with; "" where it is about the case
// alone.
func comparedWith(f *finding.Finding) string {
	if f.Verdict.Relation == "" || f.Case == nil {
		return ""
	}
	if f.Min != nil && f.Min.SeedScript != "" {
		return f.Min.SeedScript
	}
	return f.Case.SeedScript
}

// smallestWitness returns the assignment that belongs to the smallest case: an empty one if the case has no constants.
func smallestWitness(f *finding.Finding) string {
	if f.Min != nil && f.Min.Witness != "" {
		return f.Min.Witness
	}
	return f.Case.Witness
}

// assigns reports whether an assignment has a value of something.
func assigns(witness string) bool { return strings.Contains(witness, "define-fun") }

// outputOf returns the output of a run.
func outputOf(r *finding.Run) string {
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
	enc := json.NewEncoder(display.JSONWriter(&b))
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// ShellWord quotes a word for sh where it needs it.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-=,:@%") == "" {
		return s
	}
	return display.Quote(s)
}

// Create makes a folder with files; it is complete or not there.
func Create(root *os.Root, dir string, files []file) error {
	parent := filepath.Dir(dir)
	if err := root.MkdirAll(parent, 0o777); err != nil {
		return err
	}
	temp := filepath.Join(parent, ".new-"+rand.Text())
	if err := root.Mkdir(temp, 0o755); err != nil {
		return err
	}
	defer root.RemoveAll(temp) // a no-op after the rename
	for _, file := range files {
		path := filepath.Join(temp, file.name)
		if err := root.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := durable.WriteNew(root, path, file.data, file.mode); err != nil {
			return err
		}
	}
	if err := durable.SyncDir(root, temp); err != nil {
		return err
	}
	if err := root.Rename(temp, dir); err != nil {
		return err
	}
	return durable.SyncDir(root, parent)
}

// Refresh brings the files of a folder up to date, finding.json last. It deletes files that the finding no longer has.
func Refresh(findings *os.Root, dir string, files []file) error {
	root, err := findings.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = file.name
		if old, err := root.ReadFile(file.name); err == nil && string(old) == string(file.data) {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(file.name), 0o777); err != nil {
			return err
		}
		if err := durable.Replace(root, file.name, file.data, file.mode); err != nil {
			return err
		}
	}
	for _, pattern := range []string{"runs/*.json", "out/*.txt", "input*.smt2", "before-*.smt2", "*.trace"} { // of runs under other names
		old, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			return err
		}
		for _, name := range old {
			if !slices.Contains(names, name) {
				if err := root.Remove(name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
