package campaigns

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/results"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/download"
	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/report"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
	script "github.com/smtlark/smtlark/starlark"
)

func init() { results.ImportReports = importReports }

// knownReport is a bug report: a script, the solver that it concerns, and its address.
type knownReport struct {
	file    string // absolute
	shown   string // as the user named it
	address string // of the report; "" where none is told
	kind    string // of the solver that it is about; "" where none is told
	version string
}

// maxReports bounds a download and the files in an archive, in bytes.
const maxReports = 64 << 20

// reportTime bounds the time of a download.
const reportTime = 5 * time.Minute

// importReports runs each report once and stores the bug that it shows as a known finding.
func importReports(ctx context.Context, e *command.Env, o *results.FindingsOptions, sources []string) int {
	sources, code := importFindings(e, o, sources)
	if len(sources) == 0 {
		return code
	}
	var reports []knownReport
	for _, s := range sources {
		more, err := reportsOf(ctx, e, o.Out, s)
		if err != nil {
			return e.UsageError("findings", "import %s: %v", s, err)
		}
		reports = append(reports, more...)
	}
	if len(reports) == 0 {
		return e.UsageError("findings", "import: no file NAME.smt2 in %s", strings.Join(sources, ", "))
	}
	groups, err := groupReports(e, o, reports)
	if err != nil {
		return e.Fail(command.ExitSolver, "findings", err)
	}
	for i := range groups {
		if ctx.Err() != nil {
			break
		}
		g := &groups[i]
		run := &runOptions{failOn: report.FailOnNone, out: o.Out, workers: o.Workers, timeout: o.Timeout, fresh: true, importing: true}
		text, read := g.campaignFile()
		run.seedValue, run.seed = g.seed(), fmt.Sprintf("0x%x", g.seed())
		name := "reports-" + strings.ReplaceAll(g.about, " ", "-")
		if got := run.campaign(ctx, e, "findings", name+".star", finding.Inputs{Text: text, Read: read, Command: shellJoin(append([]string{"smtlark", "findings", "import"}, sources...)...)}, ""); got != command.ExitOK {
			code = got
			continue
		}
		if got := g.mark(e, o, name); got != command.ExitOK {
			return got
		}
	}
	return code
}

// importFindings takes in the findings that sources are folders of, whole, and returns the other sources. One that
// cannot be read is told, and the others are taken in.
func importFindings(e *command.Env, o *results.FindingsOptions, sources []string) (others []string, code int) {
	var dirs []string
	for _, source := range sources {
		found := findingsIn(source)
		if found == nil {
			others = append(others, source)
		}
		dirs = append(dirs, found...)
	}
	if len(dirs) == 0 {
		return others, command.ExitOK
	}
	s, err := store.Open(o.Out)
	if err != nil {
		return nil, e.Fail(command.ExitDisk, "findings", err)
	}
	for _, dir := range dirs {
		name, known, err := s.Import(dir)
		switch {
		case err != nil:
			code = e.Fail(command.ExitDisk, "findings", fmt.Errorf("import %s: %w", dir, err))
		case known:
			fmt.Fprintf(e.Stdout, "%s is %s already\n", dir, name)
		default:
			fmt.Fprintf(e.Stdout, "%s is %s\n", dir, name)
		}
	}
	if err := s.Close(); err != nil {
		return nil, e.Fail(command.ExitDisk, "findings", err)
	}
	return others, code
}

// findingsIn returns the folders of findings that a source is or has; nil: it is something else.
func findingsIn(source string) (dirs []string) {
	if _, err := os.Stat(filepath.Join(source, "finding.json")); err == nil {
		return []string{source}
	}
	dirs = folder.Folders(source)
	return append(dirs, folder.Folders(filepath.Join(source, "findings"))...)
}

// reportsOf reads the reports of a source: a file, a folder, an archive, or the address of a file or an archive. A
// download is kept in the folder reports of the findings' folder.
func reportsOf(ctx context.Context, e *command.Env, out, source string) ([]knownReport, error) {
	file, address := source, ""
	if strings.HasPrefix(source, "https://") || strings.HasPrefix(source, "http://") {
		var err error
		if file, err = fetchReports(ctx, source, filepath.Join(out, "reports")); err != nil {
			return nil, err
		}
		address = source
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("no such file or folder")
	}
	files := []string{file}
	switch {
	case info.IsDir():
		if files, err = e.FilesBelow(file); err != nil {
			return nil, err
		}
	case isArchive(file):
		if files, err = unpackReports(file, filepath.Join(out, "reports")); err != nil {
			return nil, err
		}
	}
	var reports []knownReport
	for _, f := range files {
		text, err := system.ReadInput(f)
		if err != nil {
			return nil, err
		}
		r := knownReport{shown: f}
		if r.file, err = filepath.Abs(f); err != nil {
			return nil, err
		}
		r.readHead(string(text))
		if r.address == "" && len(files) == 1 {
			r.address = address
		}
		reports = append(reports, r)
	}
	return reports, nil
}

var (
	addressIn = pattern.Lazy("https?://[^\\s<>\"')\\]`]+")
	solverIn  = pattern.Lazy(`(?i)\b([a-z][a-z0-9_]*?)(?:[ -]v?|@)(\d+(?:\.\d+)+)\b`)
)

// readHead extracts the address of a report and the solver that it concerns from the script's leading comments and
// :source.
func (r *knownReport) readHead(text string) {
	var head strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed != "" && !strings.HasPrefix(trimmed, ";") && !strings.HasPrefix(trimmed, "(set-info") {
			break
		}
		head.WriteString(line)
	}
	r.address = strings.TrimRight(addressIn().FindString(head.String()), ".,;")
	if m := solverIn().FindStringSubmatch(addressIn().ReplaceAllString(head.String(), "")); m != nil {
		r.kind, r.version = strings.ToLower(m[1]), m[2]
	}
}

// isArchive reports whether a path is that of an archive.
func isArchive(file string) bool { return strings.EqualFold(path.Ext(file), ".zip") }

// fetchReports keeps the file of an address in a folder of its own.
func fetchReports(ctx context.Context, address, to string) (file string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	name := path.Base(u.Path)
	if name == "." || name == "/" || !isArchive(name) && path.Ext(name) != ".smt2" {
		return "", fmt.Errorf("the address names no file NAME.smt2 and no archive NAME.zip; an issue's text cannot be read, save its case as a file")
	}
	ctx, cancel := context.WithTimeout(ctx, reportTime)
	defer cancel()
	res, err := download.Get(ctx, address, "")
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxReports+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxReports:
		return "", fmt.Errorf("it is larger than %d MiB", maxReports>>20)
	}
	file = filepath.Join(to, contentName([]byte(address), u.Host), name)
	return file, durable.ReplaceAt(file, text, 0o644)
}

// contentName is the name of a folder for a text: what many of them have in common, with a hash.
func contentName(text []byte, common string) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s-%.4x", durable.FileName(common), sum[:])
}

// unpackReports writes the scripts of an archive into a folder of their own, under their own names without folders.
func unpackReports(file, to string) (files []string, err error) {
	text, err := system.ReadInput(file)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(to, ".unpack-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	var names []string
	left := int64(maxReports)
	for _, f := range z.File {
		name := path.Base(strings.ReplaceAll(f.Name, "\\", "/"))
		if f.FileInfo().IsDir() || path.Ext(name) != ".smt2" {
			continue
		}
		plain := strings.TrimSuffix(name, ".smt2")
		for i := 2; slices.Contains(names, name); i++ { // files of several folders
			name = fmt.Sprintf("%s-%d.smt2", plain, i)
		}
		n, err := download.Extract(f, filepath.Join(work, name), 0o644, left)
		if err != nil {
			return nil, err
		}
		left -= n
		names = append(names, name)
	}
	// Archives of one name are several; one that comes again has the same files.
	tree := filepath.Join(to, contentName(text, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))))
	if err := errors.Join(os.Chmod(work, 0o755), os.RemoveAll(tree), os.Rename(work, tree)); err != nil {
		return nil, err
	}
	for _, name := range names {
		files = append(files, filepath.Join(tree, name))
	}
	return files, nil
}

// reportGroup are reports that the same targets are asked about.
type reportGroup struct {
	about   string   // names of the targets
	targets []string // expressions of a campaign file; none: all solvers
	reports []knownReport
}

// groupReports says who is asked about each report: the solvers of --solver; else the one that the report names, or the
// newest version of its kind where that one is not here; else all that are here.
func groupReports(e *command.Env, o *results.FindingsOptions, reports []knownReport) (groups []reportGroup, err error) {
	var given []string
	for _, s := range o.Solvers {
		// A report shows a file on a program, unless the name says otherwise.
		if n, err := command.SolverName(s); err == nil && n.Mode == "" && !n.IsLibrary() {
			n.Mode = solvers.Fresh
			s = n.String()
		}
		expr, err := command.SolverExpr(s)
		if err != nil {
			return nil, err
		}
		given = append(given, expr)
	}
	installed, err := script.NewSupply().Installed()
	if err != nil {
		return nil, err
	}
	told := map[string]bool{}
	for _, r := range reports {
		g := reportGroup{about: strings.Join(o.Solvers, ", "), targets: given}
		if given == nil {
			s := solverFor(installed, &r)
			if s != nil {
				g.about, g.targets = s.Name, []string{"solver(" + syntax.Quote(s.Name, false) + ", mode = \"fresh\")"}
				if wanted := r.kind + " " + r.version; s.Version != r.version && !told[wanted] {
					told[wanted] = true
					fmt.Fprintf(e.Stderr, "%s is not here, %s is asked; `%s solvers --fetch %s@%s .solvers` fetches a released version\n", display.Line(wanted), s.Name, e.Program(), display.Line(r.kind), display.Line(r.version))
				}
			} else {
				g.about = "all solvers"
			}
		}
		i := slices.IndexFunc(groups, func(x reportGroup) bool { return x.about == g.about })
		if i < 0 {
			i = len(groups)
			groups = append(groups, g)
		}
		groups[i].reports = append(groups[i].reports, r)
	}
	return groups, nil
}

// solverFor returns the installed program that a report is about, or the newest of its kind; nil for none.
func solverFor(installed []*solvers.Solver, r *knownReport) (best *solvers.Solver) {
	for _, s := range installed {
		if s.Profile.Name != r.kind && !slices.Contains(s.Profile.Binaries, r.kind) {
			continue
		}
		if s.Version == r.version {
			return s
		}
		if best == nil || solvers.CompareVersions(s.Version, best.Version) > 0 {
			best = s
		}
	}
	return best
}

// campaignFile writes the campaign that asks each report once, and returns the folders that it reads.
func (g *reportGroup) campaignFile() (text string, read []string) {
	var files []string
	for _, r := range g.reports {
		files = append(files, "    "+syntax.Quote(r.file, false)+",\n")
		if dir := filepath.Dir(r.file); !slices.Contains(read, dir) {
			read = append(read, dir)
		}
	}
	targets := "[" + strings.Join(g.targets, ", ") + "]"
	if g.targets == nil {
		targets = "solver.installed()"
	}
	return fmt.Sprintf(`"""Known reports: each is asked once. What it shows is a known finding from then on."""

load("@std//everything.star", "ORACLES", "references")

REPORTS = [
%s]

def report(_seeds, rng):
    """A report as it is."""
    return smt.read(REPORTS[rng.turn %% len(REPORTS)])

campaign(
    technique = report,
    targets = %s,
    references = references(),
    oracles = ORACLES,
    stop = stop.cases(len(REPORTS)),
    full_timeout = True,
)
`, strings.Join(files, ""), targets), read
}

// mark gives the findings of reports the address of their report, or a note with their file, and says which reports
// have none.
func (g *reportGroup) mark(e *command.Env, o *results.FindingsOptions, campaign string) int {
	seed := g.seed()
	r, err := store.OpenReader(o.Out)
	if err != nil {
		return o.Failed(e, "findings", err)
	}
	all, err := r.Findings()
	r.Close()
	if err != nil {
		return o.Failed(e, "findings", err)
	}
	var none []string
	code := o.Change(e, func(s *store.Store) error {
		for n := range g.reports {
			report := &g.reports[n]
			i := slices.IndexFunc(all, func(rec *folder.Record) bool {
				return rec.Case.Origin.Campaign == campaign && rec.Case.Origin.Seed == seed && slices.Contains(rec.Examples, uint64(n))
			})
			if i < 0 {
				none = append(none, report.shown)
				continue
			}
			name := all[i].Name()
			fmt.Fprintf(e.Stdout, "finding %s is known: %s\n", name, display.Line(cmp.Or(report.address, report.shown)))
			if err := s.Note(name, "imported: "+report.shown); err != nil {
				return err
			}
			if report.address == "" || all[i].Reported != "" {
				continue
			}
			if err := s.SetReported(name, report.address); err != nil {
				return err
			}
		}
		return nil
	})
	for _, file := range none {
		fmt.Fprintf(e.Stdout, "no finding of its own: %s (%s shows nothing with it, or what another finding shows)\n", display.Line(file), display.Line(g.about))
	}
	return code
}

// seed is that of the campaign about the reports: the same for the same files.
func (g *reportGroup) seed() uint64 {
	h := fnv.New32a()
	for _, r := range g.reports {
		h.Write([]byte(r.file + "\x00"))
	}
	return uint64(h.Sum32())
}
