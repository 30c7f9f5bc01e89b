package solving

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/solvers/meta"
)

// writtenNames are the ends of names of files that writer and tee write.
var writtenNames = []string{".smt2", ".trace", ".txt"}

// metas are the solvers made of solvers.
var metas = []registry.Builtin{
	{Name: "cross", Doc: "Several solvers as one target: each runs in its own mode, and the answer is the majority answer of the solvers that decide, or unknown in a tie. A contradicting answer or a crash is a finding that names the solver; a solver that crashes, hangs or refuses has no vote.",
		Ret: "solver", Needs: "z3", Example: "x = solver.cross([solver(\"z3\", name = \"a\"), solver(\"z3\", mode = \"fresh\", name = \"b\")])\nx.name  # -> \"cross(a, b)\"\nx.check(\"(declare-const x Int)(assert (> x x))(check-sat)\")  # -> \"unsat\"\nsolver.cross([])  # error: no solver",
		Do: registry.Into(cross)},
	{Name: "checked", Doc: "A solver whose results are checked: models and values by smtlark's evaluator, unsat cores and unsat assumptions by a second solver, in a new process. A wrong result is a finding that names the solver; unknown is never wrong. This target asks for models itself.",
		Ret: "solver", Needs: "z3", Example: "x = solver.checked(solver(\"z3\", name = \"a\"))\nx.name  # -> \"checked(a)\"\nx.run(\"(declare-const x Int)(assert (> x 1))(check-sat)\").failed  # -> []", Do: registry.Into(checked)},
	frontendBuiltin,
	{Name: "writer", Doc: "A solver whose input is written to a file as SMT-LIB before it is sent, with (reset) after each query.",
		Ret: "solver", Needs: "z3", Example: "solver.writer(solver(\"z3\", name = \"a\"), \"asked/{hash}.smt2\").name  # -> \"writer(a)\"\nsolver.writer(solver(\"z3\"), \"\")  # error: no file\nsolver.writer(solver(\"z3\"), \"../x.smt2\")  # error: leads out of",
		Do: registry.Into(func(c *registry.Call, a *writtenArgs) (starlark.Value, error) {
			return written(c, a, target.NewWriter)
		})},
	{Name: "tee", Doc: "A solver whose calls, also those that make terms, are written to a trace file before they are made; smtlark trace replays it.",
		Ret: "solver", Needs: "z3", Example: "solver.tee(solver(\"z3\", name = \"a\"), \"asked/{target}-{hash}.trace\").name  # -> \"tee(a)\"",
		Do: registry.Into(func(c *registry.Call, a *writtenArgs) (starlark.Value, error) {
			return written(c, a, target.NewTee)
		})},
}

// nameArgs name a solver that is made of others.
type nameArgs struct {
	Name string `default:"None" doc:"its name in runs and findings; None makes one from the solvers' names"`
}

// crossArgs are the arguments of solver.cross.
type crossArgs struct {
	Solvers []*SolverValue `doc:"one or more; models and values come from the first one whose answer is that of the vote"`
	_       registry.KeywordOnly
	nameArgs
}

func cross(c *registry.Call, a *crossArgs) (starlark.Value, error) {
	if err := checkMembers(c, &a.Solvers); err != nil {
		return nil, err
	}
	return &SolverValue{Solver: target.NewCross(a.Name, Engines(a.Solvers))}, nil
}

// checkedArgs are the arguments of solver.checked.
type checkedArgs struct {
	Solver      *SolverValue
	_           registry.KeywordOnly
	By          *SolverValue `default:"None" doc:"the second solver; None is a new process of the same solver"`
	Probability float64      `type:"probability" default:"1" doc:"probability that the values and cores of a question are checked; models are always checked"`
	nameArgs
}

func checked(c *registry.Call, a *checkedArgs) (starlark.Value, error) {
	var second *target.Solver
	if a.By != nil {
		second = a.By.Solver
	}
	return &SolverValue{Solver: target.NewChecked(a.Name, a.Solver.Solver, second, a.Probability)}, nil
}

// writtenArgs are the arguments of solver.writer and solver.tee.
type writtenArgs struct {
	Solver *SolverValue
	Path   string `doc:"a path inside the out folder of the campaign, else the working folder, and relative to it; it ends in .smt2, .trace or .txt. {target} is the solver; {hash} is the hash of the content and gives each query its own file; without {hash} queries are appended"`
	_      registry.KeywordOnly
	nameArgs
}

func written(c *registry.Call, a *writtenArgs, make func(name string, s *target.Solver, path string, files meta.Files) *target.Solver) (starlark.Value, error) {
	pattern := a.Path
	if pattern == "" || strings.HasSuffix(pattern, "/") {
		return nil, c.Errorf(&a.Path, "%q names no file", pattern)
	}
	dir, err := OutKey.Get(c.Thread)
	if err != nil || dir == "" {
		if dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	rel := pattern
	if filepath.IsAbs(pattern) {
		if rel, err = filepath.Rel(dir, pattern); err != nil {
			rel = pattern
		}
	}
	if !filepath.IsLocal(rel) {
		return nil, c.Errorf(&a.Path, "%q leads out of %s, the only folder that it may write into", pattern, dir)
	}
	// The folder may contain files of the user, so a case must not determine the content of scripts and start-up files.
	if ext := filepath.Ext(rel); !slices.Contains(writtenNames, ext) || strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.") {
		return nil, c.Errorf(&a.Path, "%q: want a name that ends in %s, and no hidden folder", pattern, strings.Join(writtenNames, " or "))
	}
	return &SolverValue{Solver: make(a.Name, a.Solver.Solver, pattern, meta.Files{Dir: dir, Pattern: rel})}, nil
}
