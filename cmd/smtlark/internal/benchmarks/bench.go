package benchmarks

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/results/benchmark"
	"github.com/smtlark/smtlark/solvers/catalogue"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register(command.Verb{Name: "bench", Summary: "measure smtlark on this machine, beside its peers", Group: command.GroupOther, Run: runBench})
}

const benchAbout = `Measures whole processes on this machine: units of work per CPU second of the program and of all processes that it starts. Each row
runs smtlark, its peer and a limit in turn, --rounds times, and shows the median with the least and the greatest. The limit is a
loop in C over the library of z3, or what the solvers of the run itself took for its cases. TABLE is one of start,
reading, mutators, campaigns, passes, modes, walks, reduction, growth; without it all of these are made. These tables are made only when they are named:

  planted     CPU seconds of all processes until a campaign finds a defect that tools/planted.sh built into a solver,
              for each defect and technique
  declined    the share of runs that each solver of this machine declines or rejects, and why, in all modes and as
              libraries, for the technique api and for the campaign of "smtlark fuzz"
  paths       --cases queries of symbolic execution (2000), answered by the first --solver with push and pop, by a pipe to
              which a client writes each query at once, and by "smtlark solve" in two modes
  portfolio   --cases files of --seeds, evenly spaced (all), solved by each solver alone and by "smtlark solve --portfolio"
              with all of them, in turn; --for is the time limit of a file (10s)

Peers are programs that you have installed: YinYang's yinyang, opfuzz and typefuzz, and ddsmt (all of them are on PyPI). Give
the folder of their programs with --peers; without it rows have no second column.

Exit codes: 0 the tables are printed, 69 a solver or a C compiler is missing.`

func runBench(ctx context.Context, e *command.Env, args []string) int {
	fs := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	seeds := fs.String("seeds", "", "`folder` with seeds by LOGIC/sat and LOGIC/unsat")
	peers := fs.String("peers", "", "`folder` with the programs of peers")
	rounds := fs.Int("rounds", 3, "how `often` each side of a row runs")
	var solverNames []string
	command.SolverFlag(fs, &solverNames, []string{"z3", "cvc5"}, "may be repeated; the first is that of tables modes, reading and paths; of table declined default: all in each mode")
	logics := fs.StringSlice("logics", []string{"QF_LIA", "QF_SLIA", "QF_NRA", "QF_BV"}, "`logics` of the rows of mutators and campaigns, separated by commas")
	duration := fs.Duration("for", 8*time.Second, "`time` of one campaign, default 20s for table declined; of table planted CPU time of one search, default 1m; of table portfolio the limit of a file, default 10s")
	cases := fs.Int("cases", 0, "of table declined: the `number` of cases of one campaign, instead of its time; of table paths: of queries; of table portfolio: of files")
	planted := fs.String("planted", "", "`folder` that tools/planted.sh made; for table planted")
	directed := fs.Bool("directed", false, "of table planted: lead each campaign to the lines of its defect (smtlark fuzz --change); wants the folder edges that tools/coverage.sh makes")
	only := fs.StringArray("defect", nil, "`name` of a defect, such as boolector-07, for table planted; may be repeated; default: all")
	wanted := fs.StringArray("technique", nil, "`name` of a technique that fuzz takes, such as probe, or with :MODE behind it, for tables planted and declined; may be repeated; default: the campaign of \"smtlark fuzz\" without one")
	command.ProfileFlag(fs)
	read := fs.String("read", "", "read and sort-check each file of a `folder` as often as --rounds says and measure nothing: what table reading runs")
	if code, done := e.Parse(fs, "bench [TABLE...] (--seeds | --planted) FOLDER [flags]", benchAbout, args); done {
		return code
	}
	switch {
	case *read != "":
		// No table: this is the process that table reading measures.
		return benchRead(e, *read, *rounds)
	case slices.Contains(fs.Args(), tablePlanted):
		limit := time.Minute
		if fs.Changed("for") {
			limit = *duration
		}
		if fs.NArg() > 1 || *planted == "" || limit <= 0 {
			return e.UsageError("bench", "table planted is made alone, wants --planted with a folder of tools/planted.sh, and a --for above 0")
		}
		return benchPlanted(ctx, e, &benchmark.Planted{Folder: *planted, Limit: limit, Seed: "1", Seeds: *seeds, Led: *directed}, *only, *wanted)
	case slices.Contains(fs.Args(), tableDeclined):
		bound := []string{"--for", "20s"}
		switch {
		case *cases > 0:
			bound = []string{"--cases", strconv.Itoa(*cases)}
		case fs.Changed("for"):
			bound[1] = duration.String()
		}
		if fs.NArg() > 1 || *planted != "" || len(*only) > 0 || *duration <= 0 || *cases < 0 {
			return e.UsageError("bench", "table declined is made alone, without --planted and --defect, and wants a --for or --cases above 0")
		}
		var named []string
		if fs.Changed("solver") {
			named = solverNames
		}
		return benchDeclined(ctx, e, named, *wanted, bound)
	case slices.Contains(fs.Args(), tablePaths):
		if fs.NArg() > 1 || *cases < 0 || *rounds < 1 || *planted != "" || len(*only)+len(*wanted) > 0 {
			return e.UsageError("bench", "table paths is made alone, by --solver, --rounds and --cases")
		}
		if *cases == 0 {
			*cases = 2000
		}
		return benchPaths(ctx, e, solverNames[0], *cases, *rounds)
	case slices.Contains(fs.Args(), tablePortfolio):
		if fs.NArg() > 1 || *cases < 0 || *seeds == "" || len(solverNames) < 2 || *planted != "" || len(*only)+len(*wanted) > 0 {
			return e.UsageError("bench", "table portfolio is made alone, wants --seeds with a folder and two --solver at least, and takes --for and --cases")
		}
		limit := 10 * time.Second
		if fs.Changed("for") {
			limit = *duration
		}
		return benchPortfolio(ctx, e, solverNames, *seeds, *cases, limit)
	case *directed:
		return e.UsageError("bench", "--directed belongs to table planted")
	case *planted != "" || len(*only)+len(*wanted) > 0:
		return e.UsageError("bench", "--planted and --defect belong to table planted, --technique to tables planted and declined")
	case *seeds == "":
		return e.UsageError("bench", "--seeds names no folder")
	case *rounds < 1:
		return e.UsageError("bench", "--rounds wants at least 1")
	case *duration <= 0:
		return e.UsageError("bench", "--for wants a time above 0")
	}
	for _, table := range fs.Args() {
		if !slices.Contains(benchmark.Tables(), table) {
			return e.UsageError("bench", "no table is named %q; the tables are: %s", table, strings.Join(benchmark.Tables(), ", "))
		}
	}
	folder, err := filepath.Abs(*seeds)
	if err == nil {
		_, err = os.Stat(folder)
	}
	if err != nil {
		return e.UsageError("bench", "--seeds: %v", err)
	}
	program, err := os.Executable()
	if err != nil {
		return e.Fail(command.ExitInternal, "bench", err)
	}
	work, err := os.MkdirTemp("", "smtlark-bench-")
	if err != nil {
		return e.Fail(command.ExitDisk, "bench", err)
	}
	defer os.RemoveAll(work)
	setting := &benchmark.Setting{Smtlark: program, Peers: peerPrograms(*peers), Seeds: folder, Logics: *logics, Solvers: solverNames, For: *duration}
	if setting.Stub, err = benchmark.CompileStub(work); err != nil {
		return e.Fail(command.ExitSolver, "bench", err)
	}
	if setting.Loop, err = benchmark.CompileLoop(work); err != nil {
		return e.Fail(command.ExitSolver, "bench", err)
	}
	setting.Path = func(name string) string {
		found, err := script.Supply().Named(ctx, catalogue.Name{Solver: name})
		if err != nil {
			return ""
		}
		return cmp.Or(found.Library, found.Path)
	}
	newFolder := func() (string, error) { return os.MkdirTemp(work, "run-") }
	fmt.Fprintf(e.Stdout, "%s/%s, %d processors, %s; %d rounds, campaigns of %s; figures: median [least..greatest]\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), *rounds, *duration)
	tables := fs.Args()
	if len(tables) == 0 {
		tables = benchmark.Tables()
	}
	for _, table := range tables {
		rows, err := setting.Rows(table)
		if err != nil {
			return e.Fail(command.ExitDisk, "bench", err)
		}
		benchmark.WriteHeader(e.Stdout, benchmark.Title(table))
		for i := range rows {
			result, err := benchmark.Compare(ctx, &rows[i], *rounds, newFolder)
			if err != nil {
				return e.Fail(command.ExitDisk, "bench", err)
			}
			benchmark.WriteRow(e.Stdout, &rows[i], result)
		}
	}
	return command.ExitOK
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

// benchRead reads each SMT-LIB file of a folder some times and drops what it has read.
func benchRead(e *command.Env, folder string, times int) int {
	files, _, err := corpus.FilesBelow(folder)
	for i := 0; i < len(files) && err == nil; i++ {
		var text []byte
		text, err = os.ReadFile(files[i])
		for n := 0; n < times && err == nil; n++ {
			_, err = smtlib.ParseOwned(files[i], text, smt.NewArena())
		}
	}
	if err != nil {
		return e.Fail(command.ExitDisk, "bench", err)
	}
	return command.ExitOK
}
