package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// Names of files and folders.
const (
	recordFile = "finding.json"
	FlakyDir   = "flaky"
)

// ReadFinding reads a finding back from its folder.
func ReadFinding(dir string, r *Record) (*finding.Finding, error) {
	text := func(name string) (string, error) {
		b, err := durable.ReadFile(dir, name)
		// Most parts of a finding are optional: no file, no such part.
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return string(b), err
	}
	// The parts of a finding that have files of their own are taken only from those files, because the folder may come
	// from a stranger.
	f := withoutFiles(&r.Finding)
	f.Plan.Targets = r.Plan.Targets
	var err error
	if f.Case.Script, err = text(caseFile); err != nil {
		return nil, err
	}
	small, err := text(minFile)
	if err != nil {
		return nil, err
	}
	model, err := text(modelFile)
	if err != nil {
		return nil, err
	}
	if f.Sources, err = readSources(dir, r); err != nil {
		return nil, err
	}
	if small == "" {
		f.Min, f.MinCheck, f.Case.Witness = nil, nil, model
	} else {
		if f.Min == nil {
			f.Min = &testcase.Wire{Origin: f.Case.Origin}
		}
		f.Min.Script, f.Min.Witness = small, model
	}
	for name, w := range map[string]*testcase.Wire{"case.trace": f.Case, "min.trace": f.Min} {
		if calls, err := text(name); err != nil {
			return nil, err
		} else if w != nil {
			w.Trace = calls
		}
	}
	recorded, err := text(answersFile)
	if err != nil {
		return nil, err
	}
	if answers, err := testcase.DecodeAnswers([]byte(recorded)); err == nil { // else the solvers are asked again
		f.Case.Origin.Answers = answers
	}
	for i := 0; ; i++ {
		earlier, err := text(beforeFile(i))
		if err != nil {
			return nil, err
		}
		if earlier == "" {
			break
		}
		f.Before = append(f.Before, earlier)
	}
	for prefix, into := range map[string]*[]finding.Run{"": &f.Runs, "confirm-": &f.Confirm, "min-": &f.MinRuns} {
		if *into, err = readRuns(dir, prefix); err != nil {
			return nil, err
		}
	}
	return &f, nil
}

// OfCase reports whether a file of runs/ is of a run of the case as it was found, not of its repetition, its reduced
// form, or a trial.
func OfCase(name string) bool {
	return !slices.ContainsFunc([]string{"min-", "confirm-", "plain-", "trial-"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// readRuns reads the runs of one group back.
func readRuns(dir, prefix string) ([]finding.Run, error) {
	names, err := filepath.Glob(filepath.Join(dir, "runs", prefix+"*.json"))
	if err != nil {
		return nil, err
	}
	var out []finding.Run
	for _, path := range names {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if prefix == "" && !OfCase(name) {
			continue
		}
		text, err := durable.ReadFile(dir, "runs/"+name+".json")
		if err != nil {
			return nil, err
		}
		var r finding.Run
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if said, err := durable.ReadFile(dir, "out/"+name+".txt"); err == nil {
			r.Stdout, r.Stderr, _ = strings.Cut(string(said), "--- stderr\n")
		}
		out = append(out, r)
	}
	return out, nil
}

// Folders returns the folders of findings in a folder by number, those of flaky ones last.
func Folders(dir string) (found []string) {
	for _, dir := range []string{dir, filepath.Join(dir, FlakyDir)} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // no such folder
		}
		for _, e := range entries {
			if e.IsDir() && Numbered().MatchString(e.Name()) {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
	}
	return found
}

// Numbered matches the names of the folders of findings.
var Numbered = pattern.Lazy(`^(\d{4,})-`)
