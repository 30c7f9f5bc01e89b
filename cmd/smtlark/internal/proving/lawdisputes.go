package proving

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// disputes are questions about laws on which solvers disagree with one another or with evaluation. They become the
// cases of a campaign, which confirms them, reduces them and stores them as findings like all others.
type disputes struct {
	solvers []string // as the command names them
	timeout time.Duration
	out     string // the folder for findings
	log     bool   // the output of the campaign goes to standard error
	cases   []string
}

// add notes the disputes about a law.
func (d *disputes) add(law string, about []proof.Dispute) {
	for _, x := range about {
		text := (&smtlib.Script{Arena: x.Script.Arena, Commands: append([]smtlib.Command{{Kind: smtlib.CmdSetInfo, Name: ":status", Text: "unsat"}}, x.Script.Commands...)}).Text()
		d.cases = append(d.cases, fmt.Sprintf("    # %s: %s refutes it by %s\n    %q,\n", law, x.Solver, x.Model, text))
	}
}

// store runs the campaign of the disputes, if there are some, and returns its exit code.
func (d *disputes) store(ctx context.Context, e *command.Env) int {
	if len(d.cases) == 0 {
		return command.ExitOK
	}
	var targets []string
	for _, name := range d.solvers {
		expr, err := command.SolverExpr(name)
		if err != nil {
			return e.Fail(command.ExitSolver, "law", err)
		}
		targets = append(targets, expr)
	}
	text := fmt.Sprintf(`"""Laws that a solver refutes, and that evaluation and another solver confirm: smtlark law found them.

Each case is unsatisfiable if the law holds.
"""

CASES = [
%s]

campaign(
    technique = lambda seeds, rng: smt.case(CASES[rng.turn %% len(CASES)]),
    targets = [%s],
    oracles = [oracle.crash(), oracle.known_answer(), oracle.agree(), oracle.model()],
    limits = {"timeout": "%v"},
    stop = stop.cases(len(CASES)),
)
`, strings.Join(d.cases, ""), strings.Join(targets, ", "), d.timeout)
	if err := os.MkdirAll(d.out, 0o755); err != nil {
		return e.Fail(command.ExitDisk, "law", fmt.Errorf("storing disputes: %w", err))
	}
	file := filepath.Join(d.out, "law-disputes.star")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return e.Fail(command.ExitDisk, "law", fmt.Errorf("storing disputes: %w", err))
	}
	fmt.Fprintf(e.Stderr, "%d questions on which solvers disagree: %s\n", len(d.cases), file)
	own := *e
	if d.log {
		own.Stdout = e.Stderr
	}
	return command.Execute(ctx, &own, []string{"run", file, "--out", d.out})
}
