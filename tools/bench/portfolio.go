package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
)

// portfolioBench has files solved by each solver alone and by a front end in which they race.
type portfolioBench struct {
	targets []solvers.Target
	past    *frontend.Experience
	limit   time.Duration
	ways    []portfolioWay // the solvers, then the race
	ratios  []float64      // time of the race by that of the better solver, of files that both decide
	lost    []string       // files that a solver decides and the race does not
	wrong   []string       // files with contradicting answers
	union   int            // files that a solver decides
}

// portfolioWay is the result of one way of solving the files.
type portfolioWay struct {
	name   string
	solved int
	wall   time.Duration
	cpu    time.Duration // of the solvers
}

// portfolio measures files of a folder, as many as --cases says: of the sorted list of all of them those at equal
// distances.
func (b *bench) portfolio(ctx context.Context) error {
	if b.seeds == "" || len(b.solvers) < 2 {
		return errors.New("table portfolio wants --seeds with a folder and two --solver at least")
	}
	const usual = 10 * time.Second // for a file
	limit := b.time(usual)
	race := &portfolioBench{past: frontend.NewExperience(), limit: limit}
	defer race.close()
	for _, name := range b.solvers {
		t, err := programNamed(ctx, name)
		if err != nil {
			return err
		}
		race.targets, race.ways = append(race.targets, t), append(race.ways, portfolioWay{name: t.Solver().Name + " FILE"})
	}
	race.ways = append(race.ways, portfolioWay{name: "solve --portfolio"})
	files, err := spreadFiles(b.seeds, b.cases)
	if err != nil {
		return err
	}
	for _, path := range files {
		if err := errors.Join(race.measureFile(ctx, path), ctx.Err()); err != nil {
			return err
		}
	}
	return race.print(b.out, len(files))
}

func (b *portfolioBench) close() {
	for _, t := range b.targets {
		_ = t.Close()
	}
}

// spreadFiles returns n of the files NAME.smt2 below a folder, at equal distances in the order of their paths; 0: all.
func spreadFiles(folder string, n int) ([]string, error) {
	all, _, err := corpus.FilesBelow(folder)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no file NAME.smt2 in %s", folder)
	}
	slices.Sort(all)
	if n <= 0 || n >= len(all) {
		return all, nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out, nil
}

// solved is the result for one file in one way.
type solved struct {
	answers []smtlib.Answer
	took    time.Duration
}

// decides reports whether all questions of the file were answered.
func (s *solved) decides() bool {
	return len(s.answers) > 0 && !slices.ContainsFunc(s.answers, func(a smtlib.Answer) bool { return !a.Decided() })
}

// measureFile solves a file in all ways directly after each other, so that other load of the machine affects all alike.
func (b *portfolioBench) measureFile(ctx context.Context, path string) error {
	best := time.Duration(0)
	var known []smtlib.Answer
	for i := range b.ways {
		way := &b.ways[i]
		before, _ := system.ChildrenCPUTime()
		solve := b.race
		if i < len(b.targets) {
			solve = func(ctx context.Context, path string) (*solved, error) {
				return b.alone(ctx, b.targets[i].Solver(), path)
			}
		}
		s, err := solve(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", path, way.name, err)
		}
		after, _ := system.ChildrenCPUTime()
		way.wall, way.cpu = way.wall+s.took, way.cpu+after-before
		decides := s.decides()
		if decides {
			way.solved++
			if known != nil && !slices.Equal(known, s.answers) {
				b.wrong = append(b.wrong, path)
			}
			known = s.answers
		}
		switch {
		case i < len(b.targets) && decides && (best == 0 || s.took < best):
			best = s.took
		case i < len(b.targets) || best == 0:
		case decides:
			b.ratios = append(b.ratios, s.took.Seconds()/best.Seconds())
		default:
			b.lost = append(b.lost, path)
		}
	}
	if best > 0 {
		b.union++
	}
	return nil
}

// alone runs the program of a solver on a file, as a user does.
func (b *portfolioBench) alone(ctx context.Context, s *solvers.Solver, path string) (*solved, error) {
	ctx, end := context.WithTimeout(ctx, b.limit)
	defer end()
	args := slices.Concat(s.Profile.Args, s.Args)
	if text, err := os.ReadFile(path); err != nil {
		return nil, err
	} else if bytes.Count(text, []byte("(check-sat")) > 1 || bytes.Contains(text, []byte("(push")) {
		args = append(args, s.Profile.IncrementalArgs...) // without them, solvers simplify most, for a single question
	}
	cmd := exec.CommandContext(ctx, s.Path, append(args, path)...)
	var out bytes.Buffer
	cmd.Stdout = &out
	begun := time.Now()
	group, err := system.StartGroup(cmd)
	if err != nil {
		return nil, err
	}
	err = cmd.Wait()
	group.Close()
	var exit *exec.ExitError
	if err != nil && ctx.Err() == nil && !errors.As(err, &exit) { // solvers end with other codes after errors, which are no answers
		return nil, err
	}
	return &solved{answers: answersIn(out.String()), took: time.Since(begun)}, nil
}

// answersIn returns the answers among lines of output. Where there is an error none counts.
func answersIn(out string) (answers []smtlib.Answer) {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "(error") {
			return nil
		}
		if a, ok := smtlib.ParseAnswer(line); ok {
			answers = append(answers, a)
		}
	}
	return answers
}

// race has the front end solve a file, as the verb solve does with each file of a folder: reading and the starts of
// solvers count.
func (b *portfolioBench) race(ctx context.Context, path string) (*solved, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s := &solved{}
	begun := time.Now()
	f, err := frontend.New(smt.NewArena(), b.targets, frontend.Options{Portfolio: true, Experience: b.past, Timeout: b.limit})
	if err != nil {
		return nil, err
	}
	d := dialogue.New(f, in, io.Discard)
	d.Checked = func(_ smtlib.Pos, r frontend.Result, _ smtlib.Answer, _ time.Duration) {
		s.answers = append(s.answers, r.Answer)
	}
	err = d.Run(ctx)
	s.took = time.Since(begun)
	if d.Errors() > 0 {
		s.answers = nil
	}
	return s, errors.Join(err, f.Close())
}

// print writes the table and a summary.
func (b *portfolioBench) print(w io.Writer, files int) error {
	var out strings.Builder
	fmt.Fprintf(&out, "## %d files, %v each\n\n| way | files decided | wall seconds | CPU seconds of solvers |\n|---|---:|---:|---:|\n", files, b.limit)
	for _, way := range b.ways {
		fmt.Fprintf(&out, "| %s | %d | %.1f | %.1f |\n", way.name, way.solved, way.wall.Seconds(), way.cpu.Seconds())
	}
	fmt.Fprintf(&out, "\nDecided by a solver alone: %d. ", b.union)
	if n := len(b.ratios); n > 0 {
		slices.Sort(b.ratios)
		fmt.Fprintf(&out, "Time of the race by that of the solver that was faster: median %.2f, nine of ten below %.2f.", b.ratios[n/2], b.ratios[n*9/10])
	}
	out.WriteByte('\n')
	for _, path := range b.lost {
		fmt.Fprintf(&out, "- decided by a solver alone, and not by the race: %s\n", path)
	}
	for _, path := range b.wrong {
		fmt.Fprintf(&out, "- answers contradict one another: %s\n", path)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
