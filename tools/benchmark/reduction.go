package benchmark

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// predicateSource is a program that tests a file for the property that a reduction preserves: with a number, that many
// occurrences of "(str.len"; otherwise an assertion with an or that contains str.replace and str.len. It says "bug"
// where it finds that.
const predicateSource = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char text[1 << 24];
int main(int argc, char **argv) {
	FILE *f = argc > 2 ? fopen(argv[argc - 1], "r") : 0;
	if (!f) return 2;
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	int want = atoi(argv[1]), n = 0, found = 0;
	for (char *p = text; want && (p = strstr(p, "(str.len")); p++) n++;
	for (char *p = text; !want && (p = strstr(p, "(or ")); p++) {
		int depth = 0, replace = 0, length = 0;
		for (char *q = p; *q; q++) {
			if (*q == '(') depth++;
			if (*q == ')' && --depth == 0) break;
			if (!strncmp(q, "str.replace", 11)) replace = 1;
			if (!strncmp(q, "str.len", 7)) length = 1;
		}
		found |= replace && length;
	}
	if (want ? n >= want : found) { puts("bug"); return 1; }
	return 0;
}
`

const planted = `(assert (or (= (str.len planted_a) 3) (= planted_b (str.replace planted_a "x" planted_b))))
`

// compareReductions compares reducing inputs that are made of seeds of QF_SLIA, one job each; a unit is an input of one
// megabyte.
func (s *TableSettings) compareReductions() ([]benchmarkRow, error) {
	files := s.seedFiles("QF_SLIA")
	if len(files) == 0 {
		return nil, nil
	}
	var rows []benchmarkRow
	for _, input := range []struct {
		name, want string
		bytes      int
	}{{"one assertion in 50 kB", "0", 50_000}, {"one assertion in 500 kB", "0", 500_000}, {"40 occurrences in 50 kB", "40", 50_000}} {
		prepare := func(dir string) (text, predicate string, err error) {
			text, predicate = filepath.Join(dir, "in.smt2"), filepath.Join(dir, "predicate")
			if err := writeUnion(files, input.bytes, text); err != nil {
				return "", "", err
			}
			return text, predicate, compilePredicate(dir, predicate)
		}
		one := func(string) (float64, error) { return 1, nil }
		row := benchmarkRow{Name: input.name, Unit: "inputs", A: rowSide{Name: "smtlark", Process: func(dir string) (*Process, error) {
			text, predicate, err := prepare(dir)
			return &Process{Argv: []string{s.Smtlark, "reduce", "-j", "1", text, filepath.Join(dir, "out.smt2"), "--match-out", "bug", "--", predicate, input.want}, Dir: dir, Count: one}, err
		}}}
		if path := s.Peers["ddsmt"]; path != "" {
			row.B = rowSide{Name: "ddsmt", Process: func(dir string) (*Process, error) {
				text, predicate, err := prepare(dir)
				return &Process{Argv: []string{path, "-j", "1", "--ignore-err", "--match-out", "bug", text, filepath.Join(dir, "out.smt2"), predicate, input.want}, Dir: dir, Count: one}, err
			}}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func compilePredicate(dir, program string) error {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return errors.New("there is no C compiler (cc), which makes the predicate")
	}
	source := program + ".c"
	if err := os.WriteFile(source, []byte(predicateSource), 0o600); err != nil {
		return err
	}
	if out, err := exec.Command(compiler, "-O1", "-static", "-o", program, source).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", compiler, err, out)
	}
	return nil
}

// writeUnion joins seeds, their symbols renamed by file, until they have some size, with the planted assertion after
// the second.
func writeUnion(files []string, size int, to string) error {
	var declarations, assertions []byte
	for n := 0; len(declarations)+len(assertions) < size; n++ {
		if n > 100_000 {
			return errors.New("the seeds of QF_SLIA have no assertions")
		}
		text, err := os.ReadFile(files[n%len(files)])
		if err != nil {
			return err
		}
		commands, err := smtlib.ParseSExprs(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", files[n%len(files)], err)
		}
		renamed := map[string]string{}
		for i := range commands {
			switch c := &commands[i]; c.Head() {
			case "declare-fun", "declare-const":
				if name := c.List[1].Symbol(); name != "" {
					renamed[name] = fmt.Sprintf("|f%d %s|", n, name)
				}
				renameSymbols(c, renamed)
				declarations = append(c.Append(declarations), '\n')
			case "assert":
				renameSymbols(c, renamed)
				assertions = append(c.Append(assertions), '\n')
			}
		}
		if n == 1 {
			declarations = append(declarations, "(declare-fun planted_a () String)\n(declare-fun planted_b () String)\n"...)
			assertions = append(assertions, planted...)
		}
	}
	return os.WriteFile(to, slices.Concat([]byte("(set-logic QF_SLIA)\n"), declarations, assertions, []byte("(check-sat)\n")), 0o600)
}

// renameSymbols renames symbols in an expression.
func renameSymbols(e *smtlib.SExpr, to map[string]string) {
	if name := to[e.Symbol()]; name != "" {
		e.Atom = name
	}
	for i := range e.List {
		renameSymbols(&e.List[i], to)
	}
}
