package reduction

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/reduce/property"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

// outputOptions say what of a command's output is kept. The flags are those of ddSMT.
type outputOptions struct {
	matchOut, matchErr   string
	ignoreOut, ignoreErr bool

	out, err *regexp.Regexp
}

func (o *outputOptions) any() bool { return o.matchOut != "" || o.matchErr != "" }

func (o *reduceOptions) outputFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.first.matchOut, "match-out", "", "keep that stdout matches this regular `expression`, and not all of the output")
	fs.StringVar(&o.first.matchErr, "match-err", "", "keep that stderr matches this regular `expression`, and not all of the output")
	fs.BoolVar(&o.first.ignoreOut, "ignore-out", false, "let stdout of a command change")
	fs.BoolVar(&o.first.ignoreErr, "ignore-err", false, "let stderr of a command change")
	fs.BoolVar(&o.ignoreOutput, "ignore-output", false, "let all output of a command change: only its exit code stays")
	fs.StringVarP(&o.crossCheck, "cross-check", "c", "", "a second `command`, as one argument quoted as for a shell, that must keep doing what it does too")
	fs.StringVar(&o.cross.matchOut, "match-out-cc", "", "--match-out for --cross-check: an `expression`")
	fs.StringVar(&o.cross.matchErr, "match-err-cc", "", "--match-err for --cross-check: an `expression`")
	fs.BoolVar(&o.cross.ignoreOut, "ignore-output-cc", false, "--ignore-output for --cross-check")
	o.timeout = 10 * time.Second
	fs.Var(command.NewDuration(&o.crossTimeout), "timeout-cc", "`time` limit of --cross-check; default: that of --timeout")
	fs.Int64Var(&o.memory, "memout", 0, "ddSMT's name for --memory, in `MiB`")
	_ = fs.MarkHidden("memout")
}

func (o *reduceOptions) validateOutput() (err error) {
	if o.ignoreOutput {
		o.first.ignoreOut, o.first.ignoreErr = true, true
	}
	if o.cross.ignoreOut {
		o.cross.ignoreErr = true
	}
	if o.crossCheck == "" && (o.cross.any() || o.cross.ignoreOut || o.crossTimeout != 0) {
		return errors.New("--match-out-cc, --match-err-cc, --ignore-output-cc and --timeout-cc are about --cross-check: give that too")
	}
	if len(o.command) == 0 && (o.first.ignoreOut || o.first.ignoreErr) {
		return errors.New("--ignore-out, --ignore-err and --ignore-output are about a command after --; of a --solver the answers or the failure are kept, not the output")
	}
	if o.first.any() && (o.match != "" || o.slower != 0 || o.property != "") {
		return errors.New("--match-out and --match-err exclude --match, --slower and --property")
	}
	if o.crossCheck != "" {
		if _, err := words(o.crossCheck); err != nil {
			return fmt.Errorf("--cross-check: %w", err)
		}
	}
	if o.crossTimeout < 0 {
		return errors.New("--timeout-cc is not above 0")
	}
	for _, p := range []struct {
		flag, text string
		re         **regexp.Regexp
	}{
		{"--match-out", o.first.matchOut, &o.first.out}, {"--match-err", o.first.matchErr, &o.first.err},
		{"--match-out-cc", o.cross.matchOut, &o.cross.out}, {"--match-err-cc", o.cross.matchErr, &o.cross.err},
	} {
		if p.text == "" {
			continue
		}
		if *p.re, err = property.Pattern(p.text); err != nil {
			return fmt.Errorf("%s: %w", p.flag, err)
		}
	}
	return nil
}

// othersFlags are flags of ddSMT that have another name here, or no use.
var othersFlags = map[string]string{
	"strategy":                 "there is one strategy, whose passes are ordered by what they gain; --passes picks some",
	"unchecked":                "a file that shows nothing is not reduced: nothing could be kept",
	"pretty-print":             "`smtlark eval` and any formatter can print the result; it is written a command a line",
	"wrap-lines":               "the result is written a command a line",
	"parser-test":              "`smtlark check FILE` reads a file and says what is wrong with it",
	"dump-config":              "there is no configuration beyond the flags: `smtlark help reduce`",
	"check-loops":              "every step makes the case lighter, so there are no loops",
	"profile":                  "--passes, and the name of the pass at each step, tell where time goes",
	"dump-diffs":               "the smallest file so far is in --out at any time",
	"disable-all":              "--passes NAME,... uses the passes named and no others",
	"replace-by-variable-mode": "the pass variable tries constants in the order of their declarations",
	"max-threads":              "-j N, --jobs N",
	"verbose":                  "every step is printed; -q, --quiet prints none",
}

// refuseOthersFlags says what takes the place of flags of ddSMT.
func refuseOthersFlags(args []string) ([]string, error) {
	for _, a := range args {
		if a == "--" {
			break
		}
		name, isFlag := strings.CutPrefix(a, "--")
		name, _, _ = strings.Cut(name, "=")
		if !isFlag {
			continue
		}
		if why := othersFlags[name]; why != "" {
			return nil, fmt.Errorf("--%s is a flag of ddSMT: %s", name, why)
		}
		if m, ok := strings.CutPrefix(name, "no-"); ok {
			return nil, fmt.Errorf("--%s is a flag of ddSMT that turns mutators off: --passes NAME,... uses the passes named and no others (docs/from-ddsmt.md has the pass of each mutator such as %s)", name, m)
		}
	}
	return args, nil
}

// commandTarget makes a target of any program: it is given the file as its last argument and runs in the folder that it
// was called in.
func commandTarget(name string, argv []string, lim solvers.Limits) (solvers.Target, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, fmt.Errorf("command %s: %w", argv[0], errors.Unwrap(err))
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	p := &solvers.Profile{
		Name:    "command",
		Program: solvers.Program{Binaries: []string{filepath.Base(path)}, Modes: []string{string(solvers.Fresh)}, MemoryLimit: "data"},
		Dialect: solvers.Dialect{Echo: "any", CheckSatUsing: true},
		Replies: solvers.Replies{Errors: "both"},
	}
	s := &solvers.Solver{Profile: p, Name: name, Path: path, Version: "unknown", Exec: []string{path}}
	return process.New(s, process.TargetOptions{Name: name, Args: argv[1:], Limits: lim, Dir: here, Unconfined: true}), nil
}

func (o *reduceOptions) crossTarget(lim solvers.Limits) (solvers.Target, error) {
	argv, err := words(o.crossCheck)
	if err != nil {
		return nil, fmt.Errorf("--cross-check: %w", err)
	}
	if o.crossTimeout > 0 {
		lim.Wall = o.crossTimeout
	}
	return commandTarget("cross-check", argv, lim)
}

// words splits a command as a shell does, without expanding anything.
func words(text string) (out []string, err error) {
	var word strings.Builder
	var quote rune
	open, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case quote != 0 && r == quote:
			quote = 0
		case quote == '\'':
			word.WriteRune(r)
		case r == '\\':
			escaped, open = true, true
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case r == ' ' || r == '\t':
			if open {
				out = append(out, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("%s: a quote is not closed", text)
	}
	if open {
		out = append(out, word.String())
	}
	if len(out) == 0 {
		return nil, errors.New("the command is empty")
	}
	return out, nil
}

// ending returns the property that a reduction with a command keeps: exit code and output, or patterns in it.
func (r *reduction) ending(first []*solvers.Run) (property.Property, error) {
	var parts []property.Property
	if len(r.o.command) > 0 {
		parts = append(parts, endingOf(0, first[0], &r.o.first))
	} else if first[0].Class == solvers.OK {
		parts = append(parts, endingOf(0, first[0], &r.o.first))
	}
	parts = append(parts, patterns(0, &r.o.first)...)
	if r.o.crossCheck != "" {
		at := len(first) - 1
		parts = append(parts, endingOf(at, first[at], &r.o.cross))
		parts = append(parts, patterns(at, &r.o.cross)...)
	}
	for _, p := range parts {
		if !p.Holds(r.c, first) {
			return p, fmt.Errorf("the case itself does not have it: %s", p.Name)
		}
	}
	return property.All(parts...), nil
}

// alsoCross adds the property that the cross-check must keep.
func (r *reduction) alsoCross(p property.Property, first []*solvers.Run) property.Property {
	if r.o.crossCheck == "" {
		return p
	}
	at := len(first) - 1
	return property.All(slices.Concat([]property.Property{p, endingOf(at, first[at], &r.o.cross)}, patterns(at, &r.o.cross))...)
}

func endingOf(target int, run *solvers.Run, o *outputOptions) property.Property {
	return property.Ending(target, run, property.Streams{
		Stdout: !o.ignoreOut && !o.any(), Stderr: !o.ignoreErr && !o.any(),
	})
}

func patterns(target int, o *outputOptions) (out []property.Property) {
	if o.out != nil {
		out = append(out, property.Output(target, o.out, property.Streams{Stdout: true}))
	}
	if o.err != nil {
		out = append(out, property.Output(target, o.err, property.Streams{Stderr: true}))
	}
	return out
}

// varying says which output differs from run to run, if a command's does.
func (r *reduction) varying(ctx context.Context, first []*solvers.Run) string {
	if len(r.o.command) == 0 {
		return ""
	}
	again := property.Ask(ctx, r.sets[0], r.c, false, solvers.Limits{})
	switch {
	case again[0].ExitCode != first[0].ExitCode || again[0].Signal != first[0].Signal:
		return ": it ends in another way"
	case again[0].Stdout != first[0].Stdout:
		return ": its stdout differs from run to run; --match-out or --ignore-out may help"
	case again[0].Stderr != first[0].Stderr:
		return ": its stderr differs from run to run; --match-err or --ignore-err may help"
	}
	return ""
}
