package benchmark

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/ground/display"
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
		seconds, err := spend(ctx, cmd, part, nil)
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
		cmd.Env = append(os.Environ(), solversSetting(h.Solver, h.Reference), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
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
// smtlark's own cases are, and asks all releases of the solver that are installed about each finding. used are the CPU
// seconds of the hunt.
func (h *Hunt) Count(ctx context.Context, dir string, used float64) (*Caught, error) {
	c := &Caught{Fuzzer: h.Fuzzer, Seed: h.Seed, CPU: used}
	if h.Fuzzer != "smtlark" {
		bugs := filepath.Join(dir, "bugs")
		reports, _, err := corpus.FilesBelow(bugs)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		c.Reports = len(reports)
		if len(reports) == 0 {
			return c, nil
		}
		args := []string{"findings", "import", bugs, "--solver", h.Name}
		if options := h.options(); options != "" {
			args = append(args, "--solver", h.Name+options)
		}
		if err := h.ask(ctx, dir, solversSetting(h.Solver, h.Reference), args...); err != nil {
			return nil, err
		}
	}
	for _, found := range folder.Folders(filepath.Join(dir, "out", "findings")) {
		r, err := folder.ReadRecord(found)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(r.Verdict.Target, h.Name+"/") || r.IsDismissed() {
			continue // of a solver that was asked beside it, or a duplicate
		}
		if err := h.ask(ctx, dir, "", "bisect", strconv.Itoa(r.Number), "--times", "1", "--trust"); err != nil {
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

// ask runs a verb of smtlark on the folder out. A finding, and a newest release that has the mistake, are no errors.
func (h *Hunt) ask(ctx context.Context, dir, setting string, args ...string) error {
	cmd := exec.CommandContext(ctx, h.Smtlark, append(args, "--out", "out")...)
	cmd.Dir = dir
	if setting != "" {
		cmd.Env = append(os.Environ(), setting)
	}
	output, err := cmd.CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); err == nil || ok && failed.ExitCode() == exitFindings {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, display.LastLine(string(output)))
}

// WriteHuntSummary writes for each fuzzer what it caught in all rounds: the median of the causes with the least and the
// greatest, and the sums of its reports and confirmed findings.
func WriteHuntSummary(w io.Writer, fuzzers []string, caught []*Caught) {
	fmt.Fprintln(w, "\n| fuzzer | rounds | CPU seconds | reported | confirmed findings | causes, median [least..greatest] |\n|---|---|---|---|---|---|")
	for _, fuzzer := range fuzzers {
		var cpu float64
		var reports, findings int
		var causes []float64
		for _, c := range caught {
			if c.Fuzzer != fuzzer {
				continue
			}
			cpu += c.CPU
			reports += c.Reports
			findings += len(c.Findings)
			causes = append(causes, float64(c.Causes()))
		}
		fmt.Fprintf(w, "| %s | %d | %.0f | %d | %d | %s |\n", fuzzer, len(causes), cpu, reports, findings, spreadOf(causes))
	}
}
