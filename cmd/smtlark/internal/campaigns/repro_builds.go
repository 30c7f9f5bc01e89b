package campaigns

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/results"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/trust"
	script "github.com/smtlark/smtlark/starlark"
)

// buildQuestion asks builds whether findings are still there.
type buildQuestion struct {
	out      string   // the folder with the findings
	findings []string // their numbers; none: all that are open or reported
	builds   []string // values of --solver
	times    int
}

// fate says whether a build still has a finding.
type fate string

const (
	fateFixed fate = "fixed"
	fateThere fate = "still there"
	fateOther fate = "other fault" // the build fails otherwise
	fateOpen  fate = "not told"    // it does not take the case, or could not be asked
)

// askBuilds asks each build about each finding of its kind, and prints a line for each answer as it comes.
func askBuilds(ctx context.Context, e *command.Env, q *buildQuestion) int {
	builds := make([]*candidate, len(q.builds))
	for i, text := range q.builds {
		found, err := usedBuild(ctx, text)
		if err != nil {
			return e.Fail(command.ExitSolver, "repro", err)
		}
		builds[i] = found
	}
	o := &results.FindingsOptions{Out: q.out}
	r, err := store.OpenReader(q.out)
	if err != nil {
		return o.Failed(e, "repro", err)
	}
	chosen, err := q.choose(r)
	// Closed before the builds are asked, which takes long: a campaign may want to write.
	r.Close()
	if err != nil {
		return o.Failed(e, "repro", err)
	}
	var differ []string
	counts := make([]map[fate]int, len(builds))
	for i := range counts {
		counts[i] = map[fate]int{}
	}
	for _, c := range chosen {
		var fates []fate
		for i, s := range builds {
			got, outcome, err := q.ask(ctx, &c, s)
			if err != nil {
				return e.Fail(command.ExitInternal, "repro", err)
			}
			if got == "" { // it is of another kind of solver
				continue
			}
			name := ""
			if len(builds) > 1 {
				name = "  " + display.Line(q.builds[i])
			}
			fmt.Fprintf(e.Stdout, "%-11s  %s%s: %s\n", got, display.Line(c.name()), name, display.Line(outcome))
			counts[i][got]++
			fates = append(fates, got)
		}
		if len(slices.Compact(slices.Clone(fates))) > 1 {
			differ = append(differ, c.name())
		}
	}
	return q.conclude(e, len(chosen), counts, differ)
}

// conclude prints how many findings had which fate, and returns the exit code.
func (q *buildQuestion) conclude(e *command.Env, all int, counts []map[fate]int, differ []string) int {
	asked, faults := 0, 0
	for i, count := range counts {
		var parts []string
		n := 0
		for _, f := range []fate{fateFixed, fateThere, fateOther, fateOpen} {
			n += count[f]
			parts = append(parts, fmt.Sprintf("%d %s", count[f], f))
		}
		fmt.Fprintf(e.Stdout, "%s: %s; %d of other solvers\n", display.Line(q.builds[i]), strings.Join(parts, ", "), all-n)
		asked += n - count[fateOpen]
		faults += count[fateThere] + count[fateOther]
	}
	if len(counts) > 1 {
		fmt.Fprintf(e.Stdout, "findings in which they differ: %s\n", cmp.Or(display.Line(strings.Join(differ, ", ")), "none"))
	}
	switch {
	case faults > 0:
		return command.ExitFindings
	case asked == 0 && all > 0:
		fmt.Fprintln(e.Stderr, "smtlark repro: no finding could be asked about")
		return command.ExitSolver
	}
	return command.ExitOK
}

// candidate is a build to ask.
type candidate struct {
	kind    string
	path    string // of the program or library
	version string // "" where a path was typed
	library bool
}

// usedBuild returns the build that a value of --solver names. Who typed a path trusts it; its kind may be one that only
// the campaign of the findings describes.
func usedBuild(ctx context.Context, text string) (*candidate, error) {
	n, err := command.SolverOfFlag(text)
	if err != nil {
		return nil, err
	}
	if n.Mode != "" && n.Mode != solvers.Native || len(n.Args) > 0 {
		return nil, fmt.Errorf("--solver %s: findings are asked about in the mode and with the options that they have: want a build alone", text)
	}
	if n.Path != "" {
		if _, err := os.Stat(n.Path); err != nil {
			return nil, fmt.Errorf("--solver %s: %w", text, catalogue.NoProgram(n.Path))
		}
		return &candidate{kind: n.Solver, path: n.Path, library: n.IsLibrary()}, trust.ForNow(n.Path)
	}
	found, err := script.Supply().Named(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("--solver %s: %w", text, err)
	}
	library := found.Library != ""
	return &candidate{found.Profile.Name, cmp.Or(found.Library, found.Path), found.Version, library}, nil
}

// stored is a finding with its record.
type stored struct {
	finding *finding.Finding
	record  *folder.Record
}

// name is that of the finding's folder.
func (c *stored) name() string { return filepath.Base(c.record.Path) }

// choose returns the findings to ask about.
func (q *buildQuestion) choose(r *store.Reader) (chosen []stored, err error) {
	numbers := q.findings
	if len(numbers) == 0 {
		records, err := r.Findings()
		if err != nil {
			return nil, err
		}
		for _, rec := range records {
			switch rec.Status {
			case folder.StatusFixed, folder.StatusInvalid, folder.StatusDup:
				continue
			}
			if !rec.Flaky {
				numbers = append(numbers, fmt.Sprint(rec.Number))
			}
		}
	}
	for _, number := range numbers {
		f, rec, err := r.Finding(number)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, stored{f, rec})
	}
	return chosen, nil
}

// ask replays a finding on a build and returns the fate of the finding and the outcome. The fate is "" if the finding
// concerns another kind of solver.
func (q *buildQuestion) ask(ctx context.Context, c *stored, s *candidate) (got fate, outcome string, err error) {
	varied := folder.Varied(c.finding)
	at := slices.IndexFunc(varied, func(t finding.Target) bool { return t.Kind == s.kind })
	if at < 0 {
		return "", "", nil
	}
	t := &varied[at]
	if library := t.Mode == string(solvers.Native); library != s.library {
		of := map[bool]string{true: "the C library", false: "the program"}[library]
		return fateOpen, "it is a finding of " + of + ": name that, too", nil
	}
	b := bisected{path: s.path, version: s.version, given: true}
	x := &bisection{out: q.out, f: c.finding, rec: c.record, times: q.times}
	if err := x.one(ctx, t, &b); err != nil {
		return "", "", err
	}
	got, outcome = b.fate()
	return got, outcome, nil
}

// fate says whether the finding still reproduces on the build, and gives the outcome.
func (b *bisected) fate() (got fate, outcome string) {
	switch {
	case b.err != nil:
		return fateOpen, firstOf(b.err.Error())
	case b.info.Refuted != "":
		return fateOpen, "it is no finding: " + b.info.Refuted
	case b.info.Tries == 0 || len(b.info.Runs) == 0:
		return fateOpen, "it was not asked"
	}
	did := b.did()
	outcome = did.Outcome
	switch {
	case b.info.Reproduced > 0:
		return fateThere, fmt.Sprintf("%s, %d of %d times", outcome, b.info.Reproduced, b.info.Tries)
	case did.Class.IsBug():
		return fateOther, outcome
	case !b.tells() || did.Class == solvers.Timeout || did.Class == solvers.OutOfMemory:
		return fateOpen, outcome
	}
	return fateFixed, outcome
}
