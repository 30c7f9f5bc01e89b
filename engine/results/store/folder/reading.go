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
	script, err := text(caseFile)
	if err != nil {
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
	sources, err := readSources(dir, r)
	if err != nil {
		return nil, err
	}
	f := &finding.Finding{
		SignedVerdict: r.SignedVerdict, Reproduction: r.Reproduction, Sightings: r.Sightings, Sources: sources, Number: r.Number,
		Plan: &finding.Plan{
			Declared:  finding.Declared{Name: r.Origin.Campaign, File: r.File, Bounds: finding.Bounds{Limits: r.Limits}},
			Technique: r.Origin.Technique,
			Targets:   r.Target,
		},
		Case: &testcase.Wire{Script: script, Expect: r.Expect, Origin: r.Origin}, Reduced: r.Reduction,
	}
	if small != "" {
		f.Min, f.MinCheck = &testcase.Wire{Script: small, Expect: r.MinExpect, Witness: model, Origin: r.Origin}, r.MinCheck
	} else {
		f.Case.Witness = model
	}
	f.Repeat, f.AtOnce = r.Repeat, r.AtOnce
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
	return f, nil
}

// OfCase reports whether a file of runs/ is of a run of the case as it was found, not of its repetition, its reduced form, or
// a trial.
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

// brokenRecord says that the folder of a finding has no readable record.
func brokenRecord(dir string, err error) error {
	text := err.Error()
	if file := filepath.Join(dir, recordFile); !strings.HasPrefix(text, file) {
		text = file + ": " + text
	}
	return fmt.Errorf("%s; the finding is left out, the others are not. Where its campaign ran, `smtlark findings export` writes the file again; its case and repro.sh work without it", text)
}

// List returns the records in a folder of findings, and of the flaky ones in it, by number.
func List(dir string) (findings, flaky []*Record, broken []error, err error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil, nil, err
	}
	if findings, err = scanRecords(dir, &broken); err != nil {
		return nil, nil, nil, err
	}
	flaky, err = scanRecords(filepath.Join(dir, FlakyDir), &broken)
	return findings, flaky, broken, err
}

// scanRecords reads the records of a folder's findings. A folder without a record is left alone, one that cannot be read is told.
func scanRecords(dir string, broken *[]error) ([]*Record, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []*Record
	for _, e := range entries {
		if !e.IsDir() || !Numbered().MatchString(e.Name()) {
			continue
		}
		folder := filepath.Join(dir, e.Name())
		switch r, err := ReadRecord(folder); {
		case err == nil:
			out = append(out, r)
		case !errors.Is(err, fs.ErrNotExist):
			*broken = append(*broken, brokenRecord(folder, err))
		}
	}
	return out, nil
}

var Numbered = pattern.Lazy(`^(\d{4,})-`)
