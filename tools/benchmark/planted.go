package benchmark

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/display"
)

// DefaultCampaign names, among techniques, the campaign of "smtlark fuzz" without a technique.
const DefaultCampaign = "default"

// Planted measures how soon defects that were planted into solvers are found.
type Planted struct {
	Smtlark string        // this program
	Folder  string        // made by tools/planted.sh
	Limit   time.Duration // CPU time of all processes that a search may take
	Seed    string        // of the campaigns
	Seeds   string        // folder with seeds; "": those that come with smtlark
	Led     bool          // campaigns are led to the lines of the defect
}

// SearchResult is the result of a search for a defect.
type SearchResult struct {
	Found bool
	CPU   float64 // seconds of all processes, until the finding or in all
	Wall  float64 // seconds
	Kind  string  // of the finding
	Case  uint64  // number of the case with the finding
	// Others counts findings that also show without the defect: bugs of the solver itself.
	Others int
}

// Search runs a campaign of a technique against a solver with the defect active, until it has a confirmed finding that
// does not reproduce without the defect, or the CPU time is used up. A technique is a name that "smtlark fuzz" takes,
// with ":MODE" behind it for another mode than the solver's first, or DefaultCampaign. dir is an empty folder. A nil
// defect searches solver without any.
func (p *Planted) Search(ctx context.Context, solver string, d *Defect, technique, dir string) (*SearchResult, error) {
	out := filepath.Join(dir, "out")
	cache := filepath.Join(dir, "cache")
	// Each search uses a copy of the cache, so that results of one search do not help the next one.
	if err := os.CopyFS(cache, os.DirFS(p.cacheFolder(solver))); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	program, library := filepath.Join(p.Folder, "bin", solver), filepath.Join(p.Folder, "lib", "lib"+solver+".so")
	env := append(os.Environ(), solversSetting(program, library), "XDG_CACHE_HOME="+cache)
	argv, err := p.campaignCommand(solver, technique)
	if err != nil {
		return nil, err
	}
	if p.Seeds != "" {
		argv = append(argv, "--seeds", p.Seeds)
	}
	if p.Led && d != nil {
		source := filepath.Join(p.Folder, "source", solver)
		patch := filepath.Join(dir, "defect.diff")
		if err := d.writePatch(source, patch); err != nil {
			return nil, err
		}
		argv = append(argv, "--change", patch, "--source", source)
	}
	argv = append(argv, "--out", out, "-j", "1", "--quiet", "--trust", "--seed", p.Seed, "--for", strconv.Itoa(int(60*p.Limit.Seconds())))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	if d != nil {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", PlantedEnv, d.Number))
	}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	s := &SearchResult{}
	seen := 0
	s.CPU, err = spend(ctx, cmd, p.Limit.Seconds(), func() (bool, error) {
		s.Wall = time.Since(start).Seconds()
		found, err := confirmedFindings(out)
		if err != nil {
			return false, err
		}
		for ; seen < len(found) && !s.Found; seen++ {
			// A finding that shows without the planted defect is one of the solver's own.
			alone := d == nil
			if !alone {
				if alone, err = p.showsWithout(ctx, env, out, found[seen].Number); err != nil {
					return false, err
				}
			}
			if alone {
				s.Others++
				continue
			}
			s.Found, s.Kind, s.Case = true, found[seen].Kind, found[seen].Case
		}
		return s.Found, nil
	})
	if err != nil {
		return nil, err
	}
	if s.CPU < p.Limit.Seconds() && !hasRun(out) {
		return nil, fmt.Errorf("%s: %s: %s", strings.Join(argv, " "), cmd.ProcessState, display.LastLine(output.String()))
	}
	return s, nil
}

// Prepare runs one campaign of a technique on the solver without a defect, to fill the cache for later searches:
// features that the solver accepts, and models of seeds. Later times are then those of a user's second campaign.
func (p *Planted) Prepare(ctx context.Context, solver, technique, dir string) (*SearchResult, error) {
	s, err := p.Search(ctx, solver, nil, technique, dir)
	if err != nil {
		return nil, err
	}
	cache := p.cacheFolder(solver)
	if err := os.RemoveAll(cache); err != nil {
		return nil, err
	}
	if err := os.CopyFS(cache, os.DirFS(filepath.Join(dir, "cache"))); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return s, nil
}

func (p *Planted) cacheFolder(solver string) string { return filepath.Join(p.Folder, "cache", solver) }

// campaignCommand returns the command of a technique against a solver.
func (p *Planted) campaignCommand(solver, technique string) ([]string, error) {
	name, mode, _ := strings.Cut(technique, ":")
	program := filepath.Join(p.Folder, "bin", solver)
	printed, err := exec.Command(program, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s: its version: %w", program, err)
	}
	target := solver + "=" + program
	if version := strings.TrimSpace(string(printed)); version != "" {
		target = solver + "-" + version
	}
	if mode != "" {
		target += ":" + mode
	}
	argv := []string{p.Smtlark, "fuzz"}
	if name != DefaultCampaign {
		argv = append(argv, name)
	}
	return append(argv, "--solver", target), nil
}

// showsWithout reports whether a finding reproduces with all defects switched off.
func (p *Planted) showsWithout(ctx context.Context, env []string, out string, number int) (bool, error) {
	cmd := exec.CommandContext(ctx, p.Smtlark, "repro", strconv.Itoa(number), "--out", out, "--trust", "--times", "1")
	cmd.Env = env
	output, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &failed) && failed.ExitCode() == exitFindings:
		return true, nil
	}
	return false, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, display.LastLine(string(output)))
}

// confirmedFinding is the event of a finding that reproduced in new processes.
type confirmedFinding struct {
	Event  string `json:"event"`
	Number int    `json:"number"`
	Case   uint64 `json:"n"`
	Kind   string `json:"kind"`
}

func runLogs(out string) []string {
	logs, _ := filepath.Glob(filepath.Join(out, "runs", "*", "[0-9]*", "events.jsonl"))
	return logs
}

func hasRun(out string) bool { return len(runLogs(out)) > 0 }

// confirmedFindings reads the events "finding" of the run below a folder.
func confirmedFindings(out string) (found []confirmedFinding, err error) {
	for _, log := range runLogs(out) {
		file, err := os.Open(log)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewReader(file)
		for {
			line, err := lines.ReadBytes('\n')
			if err == io.EOF { // the text after the last newline is still being written
				break
			}
			var event confirmedFinding
			if err != nil || json.Unmarshal(line, &event) != nil || event.Event != "finding" {
				if err != nil {
					break
				}
				continue
			}
			found = append(found, event)
		}
		file.Close()
	}
	return found, nil
}

// WritePlantedHeader begins the table of searches for planted defects.
func WritePlantedHeader(w io.Writer, techniques []string) {
	fmt.Fprint(w, "\n## Planted defects: CPU seconds to the first confirmed finding\n\n| defect | kind | ")
	fmt.Fprintln(w, strings.Join(techniques, " | "), "| what is wrong |")
	fmt.Fprintln(w, "|---|---|"+strings.Repeat("---|", len(techniques)+1))
}

// WritePlantedRow writes the results of the searches for a defect, one for each technique.
func WritePlantedRow(w io.Writer, d *Defect, searches []*SearchResult) {
	cells := make([]string, len(searches))
	for i, s := range searches {
		cells[i] = s.String()
	}
	fmt.Fprintf(w, "| %s | %s | %s | %s |\n", d.Name(), d.Kind, strings.Join(cells, " | "), d.Summary)
}

func (s *SearchResult) String() string {
	text := fmt.Sprintf("missed in %s", formatFigure(s.CPU))
	if s.Found {
		text = fmt.Sprintf("%s (%s, case %d)", formatFigure(s.CPU), s.Kind, s.Case)
	}
	if s.Others > 0 {
		text += fmt.Sprintf(", %d of the solver itself", s.Others)
	}
	return text
}

// WritePlantedSummary writes how many defects a technique found, and the median of the CPU seconds, a defect that was
// missed counting as the limit.
func WritePlantedSummary(w io.Writer, technique string, searches []*SearchResult, limit time.Duration) {
	found, others := 0, 0
	times := make([]float64, len(searches))
	for i, s := range searches {
		times[i] = limit.Seconds()
		if s.Found {
			found++
			times[i] = s.CPU
		}
		others += s.Others
	}
	fmt.Fprintf(w, "%s: %d of %d found within %s of CPU time, median %s s; %d findings of the solvers themselves\n",
		technique, found, len(searches), limit, formatFigure(spreadOf(times).Median), others)
}
