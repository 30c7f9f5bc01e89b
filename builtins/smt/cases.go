package smt

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

func cases() []registry.Builtin {
	return []registry.Builtin{
		{Name: "case", Doc: "Reads a script as a case. The (set-info :status …) before a check-sat is its known answer.",
			Ret:     "case",
			Example: "smt.case(\"(declare-const x Int)(assert (> x 1))(check-sat)\").formula  # -> (> x 1)\nsmt.case(\"(assert y)\")  # error: case:1:9",
			Do: registry.Into(func(c *registry.Call, a *smtCaseArgs) (starlark.Value, error) {
				return value.ParseCase(a.Name, []byte(a.Text))
			})},
		{Name: "read", Doc: "Reads a file as a case: an SMT-LIB script, or a trace of API calls (docs/api.md), told by its first line.",
			Ret:     "case",
			Example: "smt.read(\"min.smt2\").logic  # -> \"QF_LIA\"",
			Do: registry.Into(func(c *registry.Call, a *smtReadArgs) (starlark.Value, error) {
				text, err := readFile(c, a.Path)
				if err != nil {
					return nil, err
				}
				if tracetext.IsTrace(text) {
					return readTrace(a.Path, text)
				}
				return value.ParseCase(a.Path, text)
			})},
		{Name: "read_model", Doc: "Reads a file as a model, as solvers print them. Its names are looked up when it is given to a case (case.with_answer) or to reproduce.",
			Ret:     "model",
			Example: "c = smt.read(\"min.smt2\")\nc.with_answer(\"sat\", witness = smt.read_model(\"model.smt2\")).witness[c.constants[0]]  # -> 7",
			Do: registry.Into(func(c *registry.Call, a *smtReadModelArgs) (starlark.Value, error) {
				text, err := readFile(c, a.Path)
				if err != nil {
					return nil, err
				}
				return value.Model{StoredModel: workspace.TextModel(string(text))}, nil
			})},
	}
}

// readTrace makes a case of a trace, with what its notes say of the answers.
func readTrace(name string, text []byte) (starlark.Value, error) {
	t, err := tracetext.Read(text, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return value.NewCase(workspace.NewStore(t.Arena, name), testcase.FromTrace(name, t)), nil
}

// readFile reads a file that the script may read.
func readFile(c *registry.Call, name string) ([]byte, error) {
	files, err := registry.FilesKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	return files.Read(name)
}

// smtReadModelArgs are the arguments of smt.read_model.
type smtReadModelArgs struct {
	Path string `doc:"relative to the campaign file"`
}

// smtReadArgs are the arguments of smt.read.
type smtReadArgs struct {
	Path string `doc:"relative to the campaign file"`
}

// smtCaseArgs are the arguments of smt.case.
type smtCaseArgs struct {
	Text string
	Name string `default:"\"case\"" doc:"the file name in messages"`
}
