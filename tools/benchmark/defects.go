package benchmark

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// Defect is a bug that tools/planted.sh builds into a solver. It is inactive until PlantedEnv contains its number.
type Defect struct {
	Solver string // boolector or bitwuzla
	Number int    // from 1, of the solver
	Kind   string // wrong answer, wrong value, wrong core, crash, hang or memory
	// Summary describes the defect in one line.
	Summary string
	Edits   []sourceEdit
	// Witness is a script that triggers the defect, and Expected the answer of the solver without it.
	Witness, Expected string
}

// PlantedEnv is the environment variable with the number of the active defect.
const PlantedEnv = "SMTLARK_PLANTED"

// PlantedHitsEnv names a file to which a solver appends how often it reached the active defect.
const PlantedHitsEnv = "SMTLARK_PLANTED_HITS"

// Name returns the solver with the number, such as boolector-07.
func (d *Defect) Name() string { return fmt.Sprintf("%s-%02d", d.Solver, d.Number) }

// sourceEdit replaces a piece of a source file, which must occur there once.
type sourceEdit struct{ File, Old, New string }

// The parts of a file of a defect: edits have the name of their source file behind editPart.
const (
	editPart     = "edit "
	witnessPart  = "witness.smt2"
	expectedPart = "expected"
	replaceLine  = "@@ replace\n"
	byLine       = "@@ by\n"
)

// ReadDefects reads the defects of the solvers below a folder, FOLDER/SOLVER/NN.txtar, sorted by solver and number.
// Such a file begins with "KIND: SUMMARY"; its parts are one or more "edit SOURCEFILE", witness.smt2 and expected.
func ReadDefects(folder string) ([]*Defect, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no defects, SOLVER/NN.txtar: make it with tools/planted.sh", folder)
	}
	slices.Sort(files)
	defects := make([]*Defect, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if defects[i], err = readDefect(text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		d := defects[i]
		d.Solver = filepath.Base(filepath.Dir(file))
		if d.Number, err = strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".txtar")); err != nil || d.Number < 1 {
			return nil, fmt.Errorf("%s: the name wants a number from 1", file)
		}
	}
	return defects, nil
}

func readDefect(text []byte) (*Defect, error) {
	d := &Defect{}
	archive := txtar.Parse(text)
	kind, summary, ok := strings.Cut(strings.TrimSpace(string(archive.Comment)), ": ")
	if !ok {
		return nil, fmt.Errorf("the first line wants the form KIND: SUMMARY")
	}
	d.Kind, d.Summary = kind, summary
	for _, part := range archive.Files {
		switch source, isEdit := strings.CutPrefix(part.Name, editPart); {
		case isEdit:
			e, err := readEdit(source, string(part.Data))
			if err != nil {
				return nil, err
			}
			d.Edits = append(d.Edits, e)
		case part.Name == witnessPart:
			d.Witness = string(part.Data)
		case part.Name == expectedPart:
			d.Expected = strings.TrimSpace(string(part.Data))
		default:
			return nil, fmt.Errorf("part %s is neither %q with a file nor %s nor %s", part.Name, editPart, witnessPart, expectedPart)
		}
	}
	if len(d.Edits) == 0 || d.Witness == "" || d.Expected == "" {
		return nil, fmt.Errorf("want at least one edit, %s and %s", witnessPart, expectedPart)
	}
	return d, nil
}

func readEdit(source, text string) (sourceEdit, error) {
	text, found := strings.CutPrefix(text, replaceLine)
	old, replacement, both := strings.Cut(text, byLine)
	if !found || !both || old == "" {
		return sourceEdit{}, fmt.Errorf("the edit of %s wants %q, what is replaced, %q and what it is replaced by", source, replaceLine, byLine)
	}
	return sourceEdit{File: source, Old: old, New: replacement}, nil
}

// writePatch writes the edits of a defect as a patch, which the sources of its solver below a folder have, without
// lines around them.
func (d *Defect) writePatch(sources, file string) error {
	var b strings.Builder
	for _, e := range d.Edits {
		text, err := os.ReadFile(filepath.Join(sources, filepath.FromSlash(e.File)))
		if err != nil {
			return fmt.Errorf("%s: %w", d.Name(), err)
		}
		before, _, ok := strings.Cut(string(text), e.New)
		if !ok {
			return fmt.Errorf("%s: %s does not have the edit", d.Name(), e.File)
		}
		old, edited := strings.SplitAfter(e.Old, "\n"), strings.SplitAfter(e.New, "\n")
		from := 0
		for from < min(len(old), len(edited)) && old[from] == edited[from] {
			from++
		}
		last := 0
		for last < min(len(old), len(edited))-from && old[len(old)-1-last] == edited[len(edited)-1-last] {
			last++
		}
		removed, added := old[from:len(old)-last], edited[from:len(edited)-last]
		at := strings.Count(before, "\n") + from + 1
		if len(added) == 0 { // an empty hunk has the position of the line before it
			at--
		}
		fmt.Fprintf(&b, "diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -%[2]d,%[3]d +%[2]d,%[4]d @@\n", e.File, at, len(removed), len(added))
		for _, l := range removed {
			b.WriteString("-" + strings.TrimSuffix(l, "\n") + "\n")
		}
		for _, l := range added {
			b.WriteString("+" + strings.TrimSuffix(l, "\n") + "\n")
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

// Plant makes the edits of a defect in the sources of its solver below a folder. The text that an edit replaces must
// occur exactly once, so that a different version of the sources gives an error, not a different defect.
func (d *Defect) Plant(sources string) error {
	for _, e := range d.Edits {
		path := filepath.Join(sources, filepath.FromSlash(e.File))
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Name(), err)
		}
		if n := strings.Count(string(text), e.Old); n != 1 {
			return fmt.Errorf("%s: %s has what the edit replaces %d times, want once:\n%s", d.Name(), path, n, e.Old)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), e.Old, e.New, 1)), 0o644); err != nil {
			return fmt.Errorf("%s: %w", d.Name(), err)
		}
	}
	return nil
}
