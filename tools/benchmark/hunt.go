package benchmark

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// Fuzzers are the names that Hunt.Fuzzer takes: smtlark's default campaign, the three programs of YinYang, and STORM.
var Fuzzers = []string{"smtlark", "opfuzz", "typefuzz", "yinyang", "storm"}

// Hunt is a search of one fuzzer for mistakes of a solver, until it has used a number of CPU seconds.
type Hunt struct {
	Fuzzer    string
	Smtlark   string        // this program
	Peers     string        // folder with the programs of peers, and with STORM's source in storm-source
	Solver    string        // the program that is tested
	Name      string        // of the solver, as smtlark names it
	Reference string        // another program, which fuzzers compare with
	Seeds     string        // folder with LOGIC/sat and LOGIC/unsat
	Seed      int           // of random numbers, for smtlark and STORM
	Limit     time.Duration // CPU time of all processes
}

// Run hunts in an empty folder, in which it leaves what the fuzzer reports: the folder "out" of a campaign of smtlark,
// or SMT-LIB files below the folder "bugs". It returns the CPU seconds that were used. A fuzzer that ends before the
// limit is started again: smtlark and STORM with another seed, YinYang's programs draw their random numbers anew.
func (h *Hunt) Run(ctx context.Context, dir string) (used float64, err error) {
	if h.Fuzzer == "storm" {
		if err := h.installStorm(dir); err != nil {
			return 0, err
		}
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	for i, idle := 0, 0; used < h.Limit.Seconds(); i++ {
		part := h.Limit.Seconds() - used
		if h.Fuzzer == "yinyang" && i == 0 {
			part /= 2 // the other half is for the seeds that are unsat
		}
		cmd, err := h.command(ctx, i, part, dir)
		if err != nil {
			return used, err
		}
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
		seconds, err := spend(ctx, cmd, part)
		if err != nil {
			return used, err
		}
		if idle++; seconds > 1 {
			idle = 0
		}
		if idle > 20 {
			return used, fmt.Errorf("%s ends at once, again and again: %s", h.Fuzzer, log.Name())
		}
		used += seconds
	}
	return used, nil
}

// spend runs a program until it ends or has used a number of CPU seconds with all its processes.
func spend(ctx context.Context, cmd *exec.Cmd, limit float64) (used float64, err error) {
	system.Starting()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	f := &family{leader: cmd.Process.Pid, sessions: map[int]bool{}}
	defer f.endOrphans()
	for {
		select {
		case <-ctx.Done():
			interruptAndWait(cmd, ended, func() { f.look() })
			return used, ctx.Err()
		case err := <-ended:
			used = max(used, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			if _, ok := errors.AsType[*exec.ExitError](err); ok {
				err = nil // fuzzers end with all kinds of codes
			}
			return used, err
		case <-time.After(poll):
			used = max(used, f.look())
			if used >= limit {
				interruptAndWait(cmd, ended, func() { f.look() })
				return used, nil
			}
		}
	}
}

// options are those with which YinYang's page runs the solver, a blank before each.
func (h *Hunt) options() string {
	if strings.HasPrefix(h.Name, "z3") {
		return " model_validate=true"
	}
	return ""
}

// command returns the command of a fuzzer that was started i times before and has a number of CPU seconds left.
func (h *Hunt) command(ctx context.Context, i int, left float64, dir string) (*exec.Cmd, error) {
	peer := func(name string, args ...string) *exec.Cmd {
		return exec.CommandContext(ctx, filepath.Join(h.Peers, name), args...)
	}
	tested := h.Solver + h.options()
	switch h.Fuzzer {
	case "smtlark":
		cmd := exec.CommandContext(ctx, h.Smtlark, "fuzz", "--solver", h.Name, "--seeds", h.Seeds, "--out", "out", "-j", "1", "--quiet",
			"--seed", strconv.Itoa(h.Seed+i), "--for", strconv.Itoa(60*int(left+1)))
		cmd.Env = append(os.Environ(), h.solversSetting(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		return cmd, nil
	case "opfuzz", "typefuzz":
		return peer(h.Fuzzer, tested+";"+h.Reference, h.Seeds), nil
	case "yinyang":
		answer := []string{"sat", "unsat"}[i%2]
		folders, err := filepath.Glob(filepath.Join(h.Seeds, "*", answer))
		return peer("yinyang", append([]string{"-o", answer, tested}, folders...)...), err
	case "storm":
		name := map[bool]string{true: "z3", false: "cvc4"}[strings.HasPrefix(h.Name, "z3")]
		cmd := peer("python", "-m", "storm", "--benchmark="+h.Seeds, "--solverbin="+h.Solver, "--solver="+name, "--seed="+strconv.Itoa(1000*h.Seed+i))
		cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(dir, "storm"), "TERM=dumb")
		return cmd, nil
	}
	return nil, fmt.Errorf("no fuzzer %q", h.Fuzzer)
}

// installStorm copies STORM into a folder, where it also writes what it finds, since the folder of its results is part
// of its source.
func (h *Hunt) installStorm(dir string) error {
	home := filepath.Join(dir, "storm")
	if err := os.CopyFS(home, os.DirFS(filepath.Join(h.Peers, "storm-source"))); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "bugs"), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(home, "temp"), 0o755); err != nil {
		return err
	}
	if err := os.Symlink("../../bugs", filepath.Join(home, "temp", "soundness")); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, "storm", "config.py"), fmt.Appendf(nil, "config = {\"home\": %q}\n", home), 0o644)
}

// countCampaign asks about each file that another fuzzer reported, as smtlark would be asked in a campaign of its own.
const countCampaign = `load("@std//everything.star", "ORACLES", "references")

REPORTS = [
%s]

def report(_seeds, rng):
    """A report as it is."""
    return smt.read(REPORTS[rng.turn %% len(REPORTS)])

campaign(
    technique = report,
    targets = [solver(name) for name in [%s]],
    references = references(),
    oracles = ORACLES,
    stop = stop.cases(len(REPORTS)),
)
`

// Caught has the results of a hunt.
type Caught struct {
	Fuzzer   string         `json:"fuzzer"`
	Seed     int            `json:"seed"`
	CPU      float64        `json:"cpu"`                // seconds
	Reports  int            `json:"reports"`            // files of another fuzzer
	Findings []CaughtRecord `json:"findings,omitempty"` // that smtlark confirmed
}

// CaughtRecord is a finding of a hunt: what it is grouped by, and the release that mends it.
type CaughtRecord struct {
	Kind      string `json:"kind"`
	Signature string `json:"signature"`
	Status    string `json:"status"` // in words, such as "fixed in 4.13.3"
	Severity  string `json:"severity"`
}

// Causes counts wrong answers, models and replies that one release mends as one cause, and crashes that one release
// mends as another: they have often the same cause, and two that differ count as one for every fuzzer. Those that no
// release mends are as many as their signatures.
func (c *Caught) Causes() int {
	causes := map[string]bool{}
	for _, f := range c.Findings {
		cause := fmt.Sprint(f.Kind == oracle.KindCrash, f.Status)
		if !strings.HasPrefix(f.Status, folder.StatusFixed) {
			cause = f.Signature
		}
		causes[cause] = true
	}
	return len(causes)
}

// Count takes the files that another fuzzer reported into an --out folder of smtlark, each asked once and judged as
// smtlark's own cases are, and asks all releases of the solver that are installed about each finding.
func (h *Hunt) Count(ctx context.Context, dir string) (*Caught, error) {
	c := &Caught{Fuzzer: h.Fuzzer, Seed: h.Seed}
	run := func(env string, args ...string) error {
		cmd := exec.CommandContext(ctx, h.Smtlark, append(args, "--out", "out", "--trust")...)
		cmd.Dir = dir
		if env != "" {
			cmd.Env = append(os.Environ(), env)
		}
		output, err := cmd.CombinedOutput()
		failed, ok := errors.AsType[*exec.ExitError](err)
		if ok && failed.ExitCode() == 10 { // a finding, or the newest release has the mistake
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, display.LastLine(string(output)))
		}
		return nil
	}
	if h.Fuzzer != "smtlark" {
		reports, _, err := corpus.FilesBelow(filepath.Join(dir, "bugs"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		c.Reports = len(reports)
		if len(reports) == 0 {
			return c, nil
		}
		targets := strconv.Quote(h.Name)
		if options := h.options(); options != "" {
			targets += ", " + strconv.Quote(h.Name+options)
		}
		list := ""
		for _, file := range reports {
			list += fmt.Sprintf("    %q,\n", file)
		}
		if err := os.WriteFile(filepath.Join(dir, "reports.star"), fmt.Appendf(nil, countCampaign, list, targets), 0o644); err != nil {
			return nil, err
		}
		if err := run(h.solversSetting(), "run", "reports.star", "--read", filepath.Join(dir, "bugs"), "-j", "1", "--quiet"); err != nil {
			return nil, err
		}
	}
	for _, found := range folder.Folders(filepath.Join(dir, "out", "findings")) {
		r, err := folder.ReadRecord(found)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(r.Verdict.Target, h.Name+"/") {
			continue // of a solver that was asked beside it
		}
		if err := run("", "bisect", strconv.Itoa(r.Number), "--times", "1"); err != nil {
			return nil, err
		}
		if r, err = folder.ReadRecord(found); err != nil {
			return nil, err
		}
		c.Findings = append(c.Findings, CaughtRecord{
			Kind: r.Verdict.Kind, Signature: r.Signature.Text, Status: r.StatusWords(), Severity: r.Severity.String(),
		})
	}
	return c, nil
}

// solversSetting lets smtlark see the two solvers of the hunt alone.
func (h *Hunt) solversSetting() string {
	return "SMTLARK_SOLVERS=" + h.Solver + string(os.PathListSeparator) + h.Reference
}
