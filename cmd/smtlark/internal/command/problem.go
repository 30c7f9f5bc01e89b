package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/smtml"
)

// ParseProblem reads the text of a problem, in the format of Smt.ml if the file name ends in .smtml, and otherwise in
// SMT-LIB.
func ParseProblem(file string, text []byte) (*smtlib.Script, error) {
	if IsSmtml(file) {
		return smtml.Read(file, string(text), smt.NewArena())
	}
	return smtlib.ParseOwned(file, text, smt.NewArena())
}

// IsSmtml reports whether a file is one of Smt.ml by its name.
func IsSmtml(file string) bool { return filepath.Ext(file) == ".smtml" }

// ReadProblem reads a file with a problem.
func ReadProblem(file string) (*smtlib.Script, error) {
	text, err := system.ReadInput(file)
	if err != nil {
		return nil, err
	}
	LimitHeapFor(len(text))
	return ParseProblem(file, text)
}

// OpenProblem opens a file with a problem, to be read as SMT-LIB.
func OpenProblem(file string) (io.ReadCloser, error) {
	if !IsSmtml(file) {
		return os.Open(file)
	}
	s, err := ReadProblem(file)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(s.AppendTo(nil))), nil
}
