package benchmark

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// TableSettings is the setting of the tables.
type TableSettings struct {
	Smtlark string            // the program that is measured
	Reader  string            // the program that reads files of a folder: READER --read FOLDER --rounds N
	Peers   map[string]string // name of a peer's program -> path: opfuzz, typefuzz, yinyang, ddsmt
	Seeds   string            // folder of seeds by LOGIC/sat
	Logics  []string          // of the rows; a logic without seeds is left out
	Solvers []string          // names of real solvers, such as z3 and cvc5
	Stub    [2]string         // programs that answer at once
	Loop    string            // the program of CompileLoop
	// Path returns the file of a solver, and of its C library, by name; "" where there is none.
	Path func(name string) string
	For  time.Duration // of a campaign
}

// Names of the tables.
const (
	tableMutators  = "mutators"
	tableCampaigns = "campaigns"
	tableModes     = "modes"
	tableReduction = "reduction"
	tableReading   = "reading"
	tableGrowth    = "growth"
	tableStart     = "start"
	tablePasses    = "passes"
	tableWalks     = "walks"
)

// Tables returns the names of all tables, in the order in which they are printed.
func Tables() []string {
	return []string{tableStart, tableReading, tableMutators, tableCampaigns, tablePasses, tableModes, tableWalks, tableReduction, tableGrowth}
}

// Title is the heading of a table.
func Title(table string) string {
	switch table {
	case tableReading:
		return "Reading: bytes of SMT-LIB text, sort-checked"
	case tableMutators:
		return "Mutators: cases, with solvers that answer at once"
	case tableCampaigns:
		return "Campaigns: cases, with real solvers"
	case tablePasses:
		return "Passes: cases over all seeds, with an empty cache; the second time with what the first one remembered"
	case tableModes:
		return "Modes: cases of one tiny formula"
	case tableWalks:
		return "Walks: runs of API walks on C libraries"
	case tableReduction:
		return "Reduction: inputs reduced"
	case tableGrowth:
		return "Growth: assertions of the seeds of all cases, which is the same for all sizes where the cost of a case is linear"
	case tableStart:
		return "Start: runs of a verb"
	}
	return table
}

// Rows returns the rows of a table.
func (s *TableSettings) Rows(table string) ([]benchmarkRow, error) {
	switch table {
	case tableReading:
		return s.compareReading()
	case tableMutators:
		return s.compareMutators()
	case tableCampaigns:
		return s.compareCampaigns()
	case tablePasses:
		return s.comparePasses(), nil
	case tableModes:
		return s.compareModes(), nil
	case tableWalks:
		return s.compareWalks(), nil
	case tableReduction:
		return s.compareReductions()
	case tableGrowth:
		return s.compareGrowth(), nil
	case tableStart:
		return s.compareStart(), nil
	}
	return nil, fmt.Errorf("no table is named %s; there are %s", table, strings.Join(Tables(), ", "))
}

// seedFiles returns the sat seeds of a logic, sorted by name.
func (s *TableSettings) seedFiles(logic string) []string {
	files, _ := filepath.Glob(filepath.Join(s.Seeds, logic, "sat", "*.smt2"))
	slices.Sort(files)
	return files
}

// compareMutators compares techniques of smtlark with the programs of the same technique: both start the same stub, in
// modes fresh and in the mode that smtlark takes by default.
func (s *TableSettings) compareMutators() ([]benchmarkRow, error) {
	var rows []benchmarkRow
	for _, technique := range []string{"fusion", "opfuzz", "typefuzz"} {
		for _, logic := range s.Logics {
			if len(s.seedFiles(logic)) == 0 {
				continue
			}
			for _, mode := range []string{"fresh", "reset"} {
				rows = append(rows, benchmarkRow{Name: fmt.Sprintf("%s %s, mode %s", technique, logic, mode), Unit: "cases",
					A: s.stubCampaign(technique, logic, mode), B: s.yinYang(technique, logic, s.Stub[:], true)})
			}
		}
	}
	return rows, nil
}

// compareCampaigns compares the same with real solvers.
func (s *TableSettings) compareCampaigns() ([]benchmarkRow, error) {
	var rows []benchmarkRow
	for _, technique := range []string{"opfuzz", "storm"} {
		for _, logic := range s.Logics {
			if len(s.seedFiles(logic)) == 0 {
				continue
			}
			row := benchmarkRow{Name: fmt.Sprintf("%s %s, %s", technique, logic, strings.Join(s.Solvers, " and ")), Unit: "cases",
				A: s.techniqueCampaign(technique, logic)}
			if technique == "opfuzz" {
				row.B = s.yinYang(technique, logic, s.Solvers, false)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// comparePasses measures campaigns over all seeds, of all logics.
func (s *TableSettings) comparePasses() (rows []benchmarkRow) {
	if len(s.Solvers) == 0 {
		return nil
	}
	for _, technique := range []string{"storm", "opfuzz", "typefuzz", "rewrite"} {
		campaign := s.smtlarkSide(fmt.Sprintf("load(\"@std//%s.star\", %q)\ncampaign(technique = %s(), seeds = corpus.files(%q), targets = [solver(%q)])\n",
			technique, technique, technique, s.Seeds, s.Solvers[0]))
		for _, times := range []int{1, 2} {
			rows = append(rows, benchmarkRow{Name: fmt.Sprintf("%s, pass %d, %s", technique, times, s.Solvers[0]), Unit: "cases", A: rowSide{Name: campaign.Name, Process: func(dir string) (*Process, error) {
				var p *Process
				var err error
				for i := range times {
					if p, err = campaign.Process(dir); err != nil {
						return nil, err
					}
					p.Argv, p.Env = append(p.Argv, "--fresh"), append(p.Env, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
					if i+1 < times {
						if _, err := p.Run(context.Background()); err != nil {
							return nil, err
						}
					}
				}
				return p, nil
			}}})
		}
	}
	return rows
}

// compareWalks measures API walks on the C libraries of the solvers.
func (s *TableSettings) compareWalks() (rows []benchmarkRow) {
	for _, name := range s.Solvers {
		library := "lib" + strings.TrimPrefix(name, "lib")
		rows = append(rows, benchmarkRow{Name: library, Unit: "runs", A: s.campaignSide("fuzz", "api", "--solver", library)})
	}
	return rows
}

const tinyInts = `(declare-fun x () Int)(declare-fun y () Int)(assert (< x y))(assert (> (+ x y) 7))`

// tiny is the campaign with one small formula, which shows the cost of a case apart from the solver's work.
const tiny = `TARGET = solver(%q, mode = %q)

def technique(seeds, rng):
    return FORMULA

INTS = "(set-logic QF_LIA)` + tinyInts + `(check-sat)"
BITS = "(set-logic QF_BV)(declare-fun x () (_ BitVec 8))(declare-fun y () (_ BitVec 8))(assert (bvult x y))(assert (bvugt (bvadd x y) #x07))(check-sat)"
FORMULA = smt.case(INTS if "Ints" in TARGET.theories else BITS)

campaign(technique = technique, targets = [TARGET])
`

func (s *TableSettings) compareModes() (rows []benchmarkRow) {
	for _, name := range s.Solvers {
		for _, mode := range []string{"fresh", "reset", "incremental", "native"} {
			row := benchmarkRow{Name: name + ", mode " + mode, Unit: "cases", A: s.smtlarkSide(fmt.Sprintf(tiny, name, mode))}
			if strings.HasPrefix(name, "z3") {
				row.Limit = s.loop(name, mode)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// loop is the loop in C over the formula of the table of modes, in the library of a z3 or, in mode fresh, with its
// program.
func (s *TableSettings) loop(name, mode string) rowSide {
	return rowSide{Name: "loop", Process: func(dir string) (*Process, error) {
		path, text := s.Path("lib"+name), tinyInts
		if mode == "fresh" {
			path, text = s.Path(name), filepath.Join(dir, "tiny.smt2")
			if err := os.WriteFile(text, []byte("(set-logic QF_LIA)"+tinyInts+"(check-sat)(get-model)\n"), 0o600); err != nil {
				return nil, err
			}
		}
		if path == "" {
			return nil, fmt.Errorf("%s has no C library here", name)
		}
		argv := []string{s.Loop, mode, path, strconv.FormatFloat(s.For.Seconds(), 'f', -1, 64), text}
		return &Process{Argv: argv, Dir: dir, Count: func(output string) (float64, error) { return strconv.ParseFloat(strings.TrimSpace(output), 64) }}, nil
	}}
}

// stubCampaign is a campaign of a technique with targets that answer at once.
func (s *TableSettings) stubCampaign(technique, logic, mode string) rowSide {
	targets := []string{fmt.Sprintf("solver(stub, path = %q, mode = %q, name = \"one\")", s.Stub[0], mode)}
	call := technique + "()"
	switch technique {
	case "fusion": // as the peer has it: the answer is taken on trust, and there is one solver
		call = `semantic_fusion(answer = "sat", assume = True, verify = False)`
	default:
		targets = append(targets, fmt.Sprintf("solver(stub, path = %q, mode = %q, name = \"two\")", s.Stub[1], mode))
	}
	load := map[string]string{"fusion": `load("@std//fusion.star", "semantic_fusion")`}[technique]
	if load == "" {
		load = fmt.Sprintf("load(\"@std//%s.star\", %q)", technique, technique)
	}
	return s.smtlarkSide(fmt.Sprintf("%s\n%scampaign(technique = %s, seeds = corpus.files(%q), targets = [%s])\n",
		load, stubProfile, call, filepath.Join(s.Seeds, logic, "sat"), strings.Join(targets, ", ")))
}

// stubProfile is the kind of solver of the stub, in a campaign file.
const stubProfile = `stub = solver.profile(name = "stub", base = "generic", binaries = ["stub"], version_args = ["--version"], version = "stub ([0-9.]+)")
`

// compareGrowth measures techniques on seeds of more and more declarations and assertions, with a target that answers
// at once.
func (s *TableSettings) compareGrowth() (rows []benchmarkRow) {
	for _, technique := range []string{"storm", "opfuzz", "rewrite", "octopus"} {
		for _, n := range []int{1000, 10000, 40000} {
			text := fmt.Sprintf("load(\"@std//%s.star\", %q)\n%scampaign(technique = %s(), seeds = corpus.files(\"seeds\"), targets = [solver(stub, path = %q, mode = \"fresh\")], oracles = [oracle.crash()])\n",
				technique, technique, stubProfile, technique, s.Stub[0])
			campaign := s.smtlarkSide(text)
			rows = append(rows, benchmarkRow{Name: fmt.Sprintf("%s, seeds of %d assertions", technique, n), Unit: "assertions", A: rowSide{Name: campaign.Name, Process: func(dir string) (*Process, error) {
				if err := writeGrown(filepath.Join(dir, "seeds"), n); err != nil {
					return nil, err
				}
				p, err := campaign.Process(dir)
				if err != nil {
					return nil, err
				}
				count := p.Count
				p.Count = func(output string) (float64, error) {
					cases, err := count(output)
					return cases * float64(n), err
				}
				return p, nil
			}}})
		}
	}
	return rows
}

// writeGrown writes two seeds with n constants and n assertions, which all integers satisfy that differ little.
func writeGrown(dir string, n int) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, order := range []string{"<", "<="} {
		var b bytes.Buffer
		b.WriteString("(set-logic QF_LIA)\n(set-info :status sat)\n")
		for i := range n {
			fmt.Fprintf(&b, "(declare-const v%d Int)\n", i)
		}
		for i := range n {
			fmt.Fprintf(&b, "(assert (or (%s (+ v%d 1) (+ v%d %d)) (> (* 2 v%d) %d)))\n", order, i*7919%n, i*104729%n, i+2, i, i)
		}
		b.WriteString("(check-sat)\n")
		if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(order, "<", "l")+".smt2"), b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// compareStart measures verbs that have next to nothing to do.
func (s *TableSettings) compareStart() []benchmarkRow {
	const file, text = "tiny.smt2", "(declare-const x Int)(assert (or (= (+ x 0) 1) false))(check-sat)\n"
	run := func(name string, argv ...string) rowSide {
		return rowSide{Name: name, Process: func(dir string) (*Process, error) {
			return &Process{Argv: argv, Dir: dir, Count: func(string) (float64, error) { return 1, nil }}, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600)
		}}
	}
	rows := []benchmarkRow{
		{Name: "version", Unit: "runs", A: run("smtlark", s.Smtlark, "version")},
		{Name: "simplify of 60 bytes", Unit: "runs", A: run("smtlark", s.Smtlark, "simplify", file)},
	}
	if len(s.Solvers) > 0 {
		row := benchmarkRow{Name: "check of 60 bytes by " + s.Solvers[0], Unit: "runs", A: run("smtlark", s.Smtlark, "check", file, "--solver", s.Solvers[0])}
		if strings.HasPrefix(s.Solvers[0], "z3") {
			row.B = run(s.Solvers[0], s.Solvers[0], file)
		}
		rows = append(rows, row)
	}
	return rows
}

// techniqueCampaign is a campaign of a technique with the real solvers, in their default mode.
func (s *TableSettings) techniqueCampaign(technique, logic string) rowSide {
	var targets []string
	for _, name := range s.Solvers {
		targets = append(targets, fmt.Sprintf("solver(%q)", name))
	}
	return s.smtlarkSide(fmt.Sprintf("load(\"@std//%s.star\", %q)\ncampaign(technique = %s(), seeds = corpus.files(%q), targets = [%s])\n",
		technique, technique, technique, filepath.Join(s.Seeds, logic, "sat"), strings.Join(targets, ", ")))
}

// smtlarkSide is a campaign of one worker that ends by itself.
func (s *TableSettings) smtlarkSide(campaign string) rowSide {
	return rowSide{Name: "smtlark", Process: func(dir string) (*Process, error) {
		file := filepath.Join(dir, "bench.star")
		if err := os.WriteFile(file, []byte(campaign), 0o600); err != nil {
			return nil, err
		}
		return s.campaignSide("run", file).Process(dir)
	}}
}

// campaignSide is a campaign of one worker that ends by itself, by a verb with its arguments.
func (s *TableSettings) campaignSide(verb ...string) rowSide {
	return rowSide{Name: "smtlark", Process: func(dir string) (*Process, error) {
		argv := slices.Concat([]string{s.Smtlark}, verb, []string{"--for", s.For.String(), "-j", "1", "--quiet", "--trust", "--seed", "1", "--out", dir})
		if s.Seeds != "" {
			argv = append(argv, "--read", s.Seeds)
		}
		var stats *campaignStats
		return &Process{Argv: argv, Dir: dir, Accept: []int{10, 11},
			Count: func(string) (units float64, err error) {
				if stats, err = readStats(dir); err != nil {
					return 0, err
				}
				return stats.countRuns(), nil
			},
			OwnCPU:   func() (float64, error) { return stats.CPU.Workers + stats.CPU.Coordinator, nil },
			LeastCPU: func() (float64, error) { return stats.solversOnCases(), nil },
		}, nil
	}}
}

// campaignStats is the part of a campaign's stats.json that the tables need.
type campaignStats struct {
	Cases   int `json:"cases"`
	Targets []struct {
		Name string `json:"name"`
		Runs int    `json:"runs"`
	} `json:"targets"`
	CPU struct {
		Workers     float64 `json:"workers"`
		Coordinator float64 `json:"coordinator"`
		Purposes    []struct {
			Name    string  `json:"name"`
			Solvers float64 `json:"solvers"`
		} `json:"purposes"`
	} `json:"cpu"`
	Refused metrics.Refusals `json:"refused"`
}

// solversOnCases returns the CPU seconds of solvers on cases, without models of seeds, confirmation and reduction.
func (s *campaignStats) solversOnCases() (seconds float64) {
	for _, p := range s.CPU.Purposes {
		if p.Name == string(account.Cases) {
			seconds += p.Solvers
		}
	}
	return seconds
}

// countRuns counts cases; with several solvers those that ran on all of them, each in one of its modes.
func (s *campaignStats) countRuns() float64 {
	runs := map[string]int{}
	for _, t := range s.Targets {
		solver, _, _ := strings.Cut(t.Name, "/")
		runs[strings.TrimPrefix(solver, "lib")] += t.Runs
	}
	least := s.Cases
	for _, n := range runs {
		least = min(least, n)
	}
	return float64(least)
}

func readStats(dir string) (*campaignStats, error) {
	files, _ := filepath.Glob(filepath.Join(dir, "runs", "*", "latest", "stats.json"))
	if len(files) != 1 {
		return nil, fmt.Errorf("%d files runs/*/latest/stats.json, want one", len(files))
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	s := &campaignStats{}
	return s, json.Unmarshal(text, s)
}

// solverCalls is in the status line of YinYang's programs.
var solverCalls = pattern.Lazy(`Performed ([0-9]+) solver calls`)

// yinYang is a program of YinYang. With stubs its calls are those that the stub counted; else those of its last status
// line.
func (s *TableSettings) yinYang(technique, logic string, solvers []string, stubs bool) rowSide {
	program := technique
	oracle := []string(nil)
	if technique == "fusion" {
		program, oracle = "yinyang", []string{"-o", "sat"}
		solvers = solvers[:1]
	}
	path := s.Peers[program]
	if path == "" {
		return rowSide{}
	}
	return rowSide{Name: program, Process: func(dir string) (*Process, error) {
		argv := slices.Concat([]string{path}, oracle, []string{strings.Join(solvers, ";"), filepath.Join(s.Seeds, logic, "sat")})
		counter := filepath.Join(dir, "count")
		p := &Process{Argv: argv, Dir: dir, For: s.For, Accept: []int{0, 10}, Env: []string{countVariable + "=" + counter}}
		p.Count = func(output string) (float64, error) {
			if !stubs {
				logs, _ := filepath.Glob(filepath.Join(dir, "logs", "*"))
				for _, log := range logs {
					text, _ := os.ReadFile(log)
					output += string(text)
				}
				all := solverCalls().FindAllStringSubmatch(output, -1)
				if len(all) == 0 {
					return 0, fmt.Errorf("it has not said how many calls it made")
				}
				n, err := strconv.ParseFloat(all[len(all)-1][1], 64)
				return n / float64(len(solvers)), err
			}
			info, err := os.Stat(counter)
			if err != nil {
				return 0, err
			}
			return float64(info.Size()) / float64(len(solvers)), nil
		}
		return p, nil
	}}
}

// readings is the number of times that table reading reads each file.
const readings = 10

// compareReading compares smtlark's time for reading all seeds with the first solver's time for the same text:
// declarations and assertions of each file between push and pop, without check-sat. All is read several times, so that
// the start of the process is the lesser part.
func (s *TableSettings) compareReading() ([]benchmarkRow, error) {
	files, _, err := corpus.FilesBelow(s.Seeds)
	if err != nil {
		return nil, err
	}
	var size int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			size += info.Size()
		}
	}
	count := func(string) (float64, error) { return float64(size*readings) / 1e6, nil }
	row := benchmarkRow{Name: fmt.Sprintf("%d files", len(files)), Unit: "megabytes", A: rowSide{Name: "smtlark", Process: func(dir string) (*Process, error) {
		return &Process{Argv: []string{s.Reader, "--read", s.Seeds, "--rounds", strconv.Itoa(readings)}, Dir: dir, Count: count}, nil
	}}}
	if len(s.Solvers) > 0 && strings.HasPrefix(s.Solvers[0], "z3") {
		row.B = rowSide{Name: s.Solvers[0], Process: func(dir string) (*Process, error) {
			input := filepath.Join(dir, "all.smt2")
			if err := writeWithoutChecks(files, input); err != nil {
				return nil, err
			}
			return &Process{Argv: []string{s.Solvers[0], input}, Dir: dir, Count: count, Accept: []int{1}}, nil
		}}
	}
	return []benchmarkRow{row}, nil
}

// writeWithoutChecks writes the declarations, definitions and assertions of the files, each file in a scope of its own.
func writeWithoutChecks(files []string, to string) error {
	var b []byte
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		commands, err := smtlib.ParseSExprs(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		b = append(b, "(push 1)\n"...)
		for i := range commands {
			if head := commands[i].Head(); head == "assert" || strings.HasPrefix(head, "declare-") || strings.HasPrefix(head, "define-") {
				b = append(commands[i].Append(b), '\n')
			}
		}
		b = append(b, "(pop 1)\n"...)
	}
	return os.WriteFile(to, bytes.Repeat(b, readings), 0o600)
}
