// Command bench makes the tables of docs/performance.md: it measures smtlark on this machine, beside its peers and
// limits.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/catalogue"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/tools/benchmark"
)

const about = `Usage: go run ./tools/bench [TABLE...] (--seeds | --planted) FOLDER [flags]

Measures whole processes on this machine: units of work per CPU second of smtlark and of all processes that it starts.
Each row runs smtlark, its peer and a limit in turn, --rounds times, and shows the median with the least and the
greatest. The limit is a loop in C over the library of z3, or the time that the solvers of the run itself took for its
cases. TABLE is one of start, reading, mutators, campaigns, passes, modes, walks, reduction, growth; without it all of
these are made. These tables are made only when they are named, each alone:

  planted     CPU seconds of all processes until a campaign finds a defect that tools/planted.sh built into a solver,
              for each defect and technique
  declined    the share of runs that each solver of this machine declines or rejects, and why, in all modes and as
              libraries, for the technique api and for the campaign of "smtlark fuzz"
  paths       --cases queries of symbolic execution (2000), answered by the first --solver with push and pop, by a pipe
              to which a client writes each query at once, and by the front end in two modes
  portfolio   --cases files of --seeds, evenly spaced (all), solved by each solver alone and by the front end's
              portfolio of all of them, in turn; --for is the time limit of a file (10s)
  hunt        mistakes of the first --solver that smtlark, the programs of YinYang and STORM find in --for of CPU time
              (30m), those that compare beside the second --solver; reports of peers are judged as smtlark's cases are,
              and all installed releases are asked about each finding. --out keeps results, and hunts that are there
              are not made again. Install the peers in --peers, with python and STORM's source in storm-source

Peers are programs that you have installed: YinYang's yinyang, opfuzz and typefuzz, and ddsmt (all of them are on PyPI).
Give the folder of their programs with --peers; without it rows have no second column.

Flags:
`

func main() {
	b := &bench{out: os.Stdout}
	err := b.run(context.Background(), os.Args[1:])
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench has the flags of one invocation.
type bench struct {
	out io.Writer

	smtlark    string // the program that is measured
	seeds      string
	peers      string
	defectsIn  string // --planted
	read       string
	kept       string // --out
	profiles   string
	rounds     int
	cases      int
	duration   time.Duration
	led        bool
	solvers    []string
	logics     []string
	defects    []string
	techniques []string

	given func(flag string) bool
}

// flags declares the flags.
func (b *bench) flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	fs.SortFlags = false
	fs.SetOutput(b.out)
	fs.Usage = func() { fmt.Fprint(b.out, about+fs.FlagUsages()) }
	fs.StringVar(&b.smtlark, "smtlark", "", "`program` to measure (default: bin/smtlark, else the one on the PATH)")
	fs.StringVar(&b.seeds, "seeds", "", "`folder` with seeds by LOGIC/sat and LOGIC/unsat")
	fs.StringVar(&b.peers, "peers", "", "`folder` with the programs of peers")
	fs.IntVar(&b.rounds, "rounds", 3, "how `often` each side of a row runs")
	fs.StringArrayVar(&b.solvers, "solver", []string{"z3", "cvc5"}, "a solver by its `name`: "+catalogue.NameForms+
		"; may be repeated; the first is that of tables modes, reading and paths; of table declined default: all")
	fs.StringSliceVar(&b.logics, "logics", []string{"QF_LIA", "QF_SLIA", "QF_NRA", "QF_BV"},
		"`logics` of the rows of mutators and campaigns, separated by commas")
	fs.DurationVar(&b.duration, "for", 8*time.Second, "`time` of one campaign, default 20s for table declined; "+
		"of table planted CPU time of one search, default 1m; of table portfolio the limit of a file, default 10s")
	fs.IntVar(&b.cases, "cases", 0, "of table declined: the `number` of cases of one campaign, in place of its time; "+
		"of table paths: of queries; of table portfolio: of files")
	fs.StringVar(&b.defectsIn, "planted", "", "`folder` that tools/planted.sh made; for table planted")
	fs.BoolVar(&b.led, "directed", false, "of table planted: lead each campaign to the lines of its defect "+
		"(smtlark fuzz --change); wants the folder edges that tools/coverage.sh makes")
	fs.StringArrayVar(&b.defects, "defect", nil, "`name` of a defect, such as boolector-07, for table planted; "+
		"may be repeated; default: all")
	fs.StringArrayVar(&b.techniques, "technique", nil, "`name` of a technique that fuzz takes, such as probe, or with "+
		":MODE behind it, for tables planted and declined; may be repeated; default: the campaign of \"smtlark fuzz\" without one; "+
		"of table hunt: a fuzzer, default: all")
	fs.StringVar(&b.profiles, "pprof", "", "have each smtlark write profiles of itself into a `folder`, as its "+
		"own --pprof does")
	fs.StringVar(&b.kept, "out", "", "`folder` for the results of table hunt")
	fs.StringVar(&b.read, "read", "", "read and sort-check each file of a `folder` as often as --rounds says and "+
		"measure nothing: table reading runs this")
	b.given = fs.Changed
	return fs
}

// time returns the value of --for, or else the given default.
func (b *bench) time(otherwise time.Duration) time.Duration {
	if b.given("for") {
		return b.duration
	}
	return otherwise
}

// alone are the tables that cannot be combined with others.
var alone = map[string]func(b *bench, ctx context.Context) error{
	"planted":   (*bench).planted,
	"declined":  (*bench).declined,
	"paths":     (*bench).paths,
	"portfolio": (*bench).portfolio,
	"hunt":      (*bench).hunt,
}

// run makes the tables that the arguments name.
func (b *bench) run(ctx context.Context, args []string) error {
	fs := b.flags()
	if err := fs.Parse(args); err != nil {
		return err
	}
	tables := fs.Args()
	switch {
	case b.rounds < 1:
		return errors.New("--rounds wants at least 1")
	case b.duration <= 0:
		return errors.New("--for wants a time above 0")
	case b.cases < 0:
		return errors.New("--cases wants a number above 0")
	case b.read != "":
		return readAll(b.read, b.rounds)
	}
	if err := b.findProgram(); err != nil {
		return err
	}
	if b.profiles != "" {
		folder, err := filepath.Abs(b.profiles)
		if err == nil {
			err = errors.Join(os.MkdirAll(folder, 0o777), os.Setenv("SMTLARK_PPROF", folder))
		}
		if err != nil {
			return err
		}
	}
	if err := b.checkFlags(tables); err != nil {
		return err
	}
	for _, table := range tables {
		makeTable := alone[table]
		if makeTable != nil && len(tables) > 1 {
			return fmt.Errorf("table %s is made alone", table)
		}
		if makeTable != nil {
			return makeTable(b, ctx)
		}
		if !slices.Contains(benchmark.Tables(), table) {
			return fmt.Errorf("no table is named %q; the tables are: %s", table, strings.Join(benchmark.Tables(), ", "))
		}
	}
	return b.makeTables(ctx, tables)
}

// checkFlags reports flags that none of the tables takes.
func (b *bench) checkFlags(tables []string) error {
	planted := slices.Contains(tables, "planted")
	switch {
	case !planted && (b.led || b.defectsIn != "" || len(b.defects) > 0):
		return errors.New("--planted, --defect and --directed belong to table planted")
	case !planted && !slices.Contains(tables, "declined") && !slices.Contains(tables, "hunt") && len(b.techniques) > 0:
		return errors.New("--technique belongs to tables planted, declined and hunt")
	}
	return nil
}

// findProgram finds the smtlark that is measured.
func (b *bench) findProgram() error {
	name := b.smtlark
	if name == "" {
		name = "smtlark"
		if _, err := os.Stat("bin/smtlark"); err == nil {
			name = "bin/smtlark"
		}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fmt.Errorf("--smtlark: %w; make build makes bin/smtlark", err)
	}
	b.smtlark = path
	return nil
}

// makeTables makes the tables of rows.
func (b *bench) makeTables(ctx context.Context, tables []string) error {
	if b.seeds == "" {
		return errors.New("--seeds names no folder")
	}
	folder, err := filepath.Abs(b.seeds)
	if err == nil {
		_, err = os.Stat(folder)
	}
	if err != nil {
		return fmt.Errorf("--seeds: %w", err)
	}
	reader, err := os.Executable()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "smtlark-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	setting := &benchmark.TableSettings{
		Smtlark: b.smtlark, Reader: reader, Peers: peerPrograms(b.peers), Seeds: folder,
		Logics: b.logics, Solvers: b.solvers, For: b.duration,
	}
	if setting.Stub, err = benchmark.CompileStub(work); err != nil {
		return err
	}
	if setting.Loop, err = benchmark.CompileLoop(work); err != nil {
		return err
	}
	setting.Path = func(name string) string {
		found, err := script.Supply().Named(ctx, catalogue.Name{Solver: name})
		if err != nil {
			return ""
		}
		return cmp.Or(found.Library, found.Path)
	}
	newFolder := func() (string, error) { return os.MkdirTemp(work, "run-") }
	fmt.Fprintf(b.out, "%s/%s, %d processors, %s; %d rounds, campaigns of %s; figures: median [least..greatest]\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), b.rounds, b.duration)
	if len(tables) == 0 {
		tables = benchmark.Tables()
	}
	for _, table := range tables {
		rows, err := setting.Rows(table)
		if err != nil {
			return err
		}
		benchmark.WriteHeader(b.out, benchmark.Title(table))
		for i := range rows {
			result, err := benchmark.Compare(ctx, &rows[i], b.rounds, newFolder)
			if err != nil {
				return err
			}
			benchmark.WriteRow(b.out, &rows[i], result)
		}
	}
	return nil
}

// peerPrograms returns the programs of peers in a folder.
func peerPrograms(folder string) map[string]string {
	found := map[string]string{}
	if folder == "" {
		return found
	}
	for _, name := range []string{"yinyang", "opfuzz", "typefuzz", "ddsmt"} {
		path, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			continue
		}
		if _, err := exec.LookPath(path); err == nil {
			found[name] = path
		}
	}
	return found
}

// readAll parses each SMT-LIB file of a folder the given number of times, and drops the results.
func readAll(folder string, times int) error {
	files, _, err := corpus.FilesBelow(folder)
	for i := 0; i < len(files) && err == nil; i++ {
		var text []byte
		text, err = os.ReadFile(files[i])
		for n := 0; n < times && err == nil; n++ {
			_, err = smtlib.ParseOwned(files[i], text, smt.NewArena())
		}
	}
	return err
}
