package campaigns

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/trust"
)

// yinyangOptions are the arguments of YinYang's programs (yinyang, opfuzz, typefuzz) as far as they have a meaning
// here.
type yinyangOptions struct {
	oracle     string
	iterations int
	modulo     int
	generate   int
	config     string
	sizeLimit  int64
	solvers    []string // expressions of a campaign file

	bugs, logs, scratch             string
	keep, randomize, noLog, version bool
}

// mimics are the techniques that take these options, with the argument of the technique that -m and -c set.
var mimics = map[string]struct{ modulo, config string }{
	"fusion":   {"inputs", "config"},
	"opfuzz":   {"mutations", "classes"},
	"typefuzz": {"mutations", "signatures"},
}

// secondsFlag is a flag for a time in seconds; "8s" and the like are fine too.
type secondsFlag struct{ d *time.Duration }

func (s secondsFlag) String() string {
	if s.d == nil || *s.d == 0 {
		return ""
	}
	return s.d.String()
}

// Type implements pflag.Value.
func (s secondsFlag) Type() string { return "seconds" }

// Set implements pflag.Value.
func (s secondsFlag) Set(text string) error {
	d, err := registry.ParseDuration(text)
	switch {
	case err != nil:
		return err
	case d == 0:
		return fmt.Errorf("want a number of seconds above 0")
	}
	*s.d = d
	return nil
}

func (y *yinyangOptions) flags(fs *pflag.FlagSet, timeout *time.Duration) {
	fs.StringVarP(&y.oracle, "oracle", "o", "", "`answer` that the seeds are known to have and cases shall have: sat, unsat, or unknown for cases of which nothing is known")
	fs.IntVarP(&y.iterations, "iterations", "i", 0, "stop after `N` cases for each seed (fusion: for each pair)")
	fs.IntVarP(&y.modulo, "modulo", "m", 0, "`N` mutations, one on top of the other (fusion: N inputs of a fusion function)")
	fs.VarP(secondsFlag{timeout}, "per-run", "t", "--timeout in `seconds`")
	fs.IntVarP(&y.generate, "generate-functions", "g", 0, "fusion functions of `SIZE` nodes")
	fs.StringVarP(&y.bugs, "bugsfolder", "b", "", "--out: `folder` for findings/ and runs/")
	fs.Bool("yinyang-codes", false, "exit codes of YinYang: 0 nothing found, 10 findings, 2 usage or no solver, 3 internal error, 5 reading or writing failed")
	fs.StringVarP(&y.config, "config", "c", "", "`file` with classes of operators, signatures or fusion functions as YinYang has them")
	fs.Int64VarP(&y.sizeLimit, "file-size-limit", "L", 0, "leave out seeds of more than `N` bytes")
	// What has another name in YinYang's programs or its help, has no effect there or here, or is done in another way.
	fs.IntVar(&y.modulo, "multiple-variables", 0, "--modulo")
	fs.Int64Var(&y.sizeLimit, "limit", 0, "--file-size-limit")
	fs.BoolVarP(&y.randomize, "randomize", "r", false, "")
	fs.BoolVarP(&y.noLog, "no-log", "n", false, "")
	fs.StringVarP(&y.logs, "logfolder", "l", "", "")
	fs.StringVarP(&y.scratch, "scratchfolder", "s", "", "")
	fs.BoolVarP(&y.keep, "keep-mutants", "k", false, "")
	fs.BoolVarP(&y.version, "version", "v", false, "")
	for _, name := range []string{"multiple-variables", "limit", "randomize", "no-log", "logfolder", "scratchfolder", "keep-mutants", "version"} {
		fs.Lookup(name).Hidden = true
	}
}

// folders gives the campaign the folder that YinYang's flags name, and says what to do instead of flags that cannot
// have the meaning that they have there.
func (y *yinyangOptions) folders(fs *pflag.FlagSet, out *string) error {
	if y.bugs != "" {
		if fs.Changed("out") && *out != y.bugs {
			return fmt.Errorf("--bugsfolder %s and --out %s: both say where findings go", y.bugs, *out)
		}
		*out = y.bugs
	}
	switch {
	case y.keep:
		return fmt.Errorf("--keep-mutants is not needed: smtlark makes any mutant again from its number: --seed S --case N --print")
	case y.logs != "" && filepath.Clean(y.logs) != filepath.Clean(*out):
		return fmt.Errorf("--logfolder %s: smtlark writes the log of a run beside its findings, into runs/ of the folder of --out", y.logs)
	case y.version:
		return fmt.Errorf("--version: the command is smtlark version")
	}
	return nil // a scratch folder stays empty: solvers get mutants by a pipe
}

// exitCodes are YinYang's for those of smtlark that differ.
var exitCodes = map[int]int{command.ExitFlaky: command.ExitFindings, command.ExitUsage: 2, command.ExitSolver: 2, command.ExitScript: 3, command.ExitInternal: 3, command.ExitDisk: 5}

// yinyangExit returns the exit code of fuzz: that of YinYang where the arguments ask for it, even if others are wrong.
func yinyangExit(args []string, code int) int {
	if other, ok := exitCodes[code]; ok && slices.ContainsFunc(args, isExitFlag) {
		return other
	}
	return code
}

func isExitFlag(arg string) bool { return arg == "--yinyang-codes" || arg == "--yinyang-codes=true" }

// again returns the flags that were given, for the command that does the same once more.
func (y *yinyangOptions) again(fs *pflag.FlagSet) []string {
	var out []string
	for _, name := range []string{"oracle", "iterations", "modulo", "multiple-variables", "generate-functions", "per-run", "config", "file-size-limit", "limit", "yinyang-codes"} {
		if fs.Changed(name) {
			if fs.Lookup(name).Value.Type() == "bool" {
				out = append(out, "--"+name)
				continue
			}
			out = append(out, "--"+name, fs.Lookup(name).Value.String())
		}
	}
	return out
}

// positional reads arguments behind the technique as YinYang does, "solver 1;solver 2" and then seeds; the solvers may
// be left out. It returns what belongs into the command that does the same once more.
func (o *fuzzOptions) positional(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, nil
	}
	given := args[:0:0]
	if _, err := os.Stat(args[0]); err != nil {
		given = args[:1:1]
		for _, line := range strings.Split(args[0], ";") {
			if strings.TrimSpace(line) == "" {
				continue
			}
			expr, err := commandExpr(strings.Fields(line))
			if err != nil {
				return nil, err
			}
			o.yinyang.solvers = append(o.yinyang.solvers, expr)
		}
		args = args[1:]
	}
	o.seeds = append(o.seeds, args...)
	return given, nil
}

// commandExpr writes the expression for a solver's command: a name or a path, and arguments.
func commandExpr(words []string) (string, error) {
	name := words[0]
	var fields []string
	if strings.Contains(name, "/") {
		abs, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(abs); err != nil {
			return "", fmt.Errorf("%s: no such solver", name)
		}
		if err := trust.ForNow(abs); err != nil { // the user typed it
			return "", err
		}
		fields = append(fields, "path = "+syntax.Quote(abs, false))
		name, _, _ = strings.Cut(filepath.Base(name), "-")
	}
	if len(words) > 1 {
		var args []string
		for _, w := range words[1:] {
			args = append(args, syntax.Quote(w, false))
		}
		fields = append(fields, "args = ["+strings.Join(args, ", ")+"]")
		fields = append(fields, "name = "+syntax.Quote(strings.Join(words, " "), false))
	}
	if len(fields) == 0 {
		return command.SolverExpr(name)
	}
	return fmt.Sprintf("solver(%q, %s)", name, strings.Join(fields, ", ")), nil
}

// arguments returns the arguments of the technique, and folders that it reads.
func (y *yinyangOptions) arguments(technique string) (args, read []string, err error) {
	m, ok := mimics[technique]
	if !ok {
		if y.oracle != "" || y.modulo != 0 || y.config != "" || y.generate != 0 {
			return nil, nil, fmt.Errorf("--oracle, --modulo, --generate-functions and --config are for fusion, opfuzz and typefuzz; %s takes arguments by --arg", technique)
		}
		return nil, nil, nil
	}
	switch y.oracle {
	case "":
	case "sat", "unsat":
		args = append(args, fmt.Sprintf("answer = %q", y.oracle)) // seeds: see trust
	case "unknown":
		args = append(args, `answer = "unknown"`)
	default:
		return nil, nil, fmt.Errorf("--oracle %s: want sat, unsat or unknown", y.oracle)
	}
	if y.modulo < 0 || y.iterations < 0 || y.sizeLimit < 0 || y.generate < 0 {
		return nil, nil, fmt.Errorf("--modulo, --iterations, --generate-functions and --file-size-limit are not negative")
	}
	if y.generate > 0 {
		if technique != "fusion" {
			return nil, nil, fmt.Errorf("--generate-functions is for fusion; %s has none", technique)
		}
		args = append(args, fmt.Sprintf("size = (%d, %d)", y.generate, y.generate))
	}
	if y.modulo > 0 {
		args = append(args, fmt.Sprintf("%s = %d", m.modulo, y.modulo))
	}
	if y.config == "" {
		return args, nil, nil
	}
	if technique == "fusion" {
		// Functions are read by the campaign, from the file; the configurations of the other techniques become part of its
		// text.
		abs, err := filepath.Abs(y.config)
		if err != nil {
			return nil, nil, err
		}
		return append(args, m.config+" = "+syntax.Quote(abs, false)), []string{filepath.Dir(abs)}, nil
	}
	text, err := system.ReadInput(y.config)
	if err != nil {
		return nil, nil, fmt.Errorf("--config: %w", err)
	}
	return append(args, m.config+" = "+syntax.Quote(string(text), false)), nil, nil
}

// trust returns the call that makes a corpus one whose seeds without a status have the answer that --oracle names.
func (y *yinyangOptions) trust() string {
	if y.oracle == "sat" || y.oracle == "unsat" {
		return fmt.Sprintf(".trust(%q)", y.oracle)
	}
	return ""
}

// stop returns the line of the campaign file that ends it after so many cases for each seed or pair; "" for no such
// end.
func (y *yinyangOptions) stop(technique string) string {
	switch {
	case y.iterations == 0:
		return ""
	case technique == "fusion":
		return fmt.Sprintf("    stop = stop.cases(%d * len(SEEDS) * len(SEEDS)),\n", y.iterations)
	}
	return fmt.Sprintf("    stop = stop.cases(%d * len(SEEDS)),\n", y.iterations)
}
