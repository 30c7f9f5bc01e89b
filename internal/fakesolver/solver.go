package fakesolver

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EnvRun makes a program that calls MaybeRun a fake solver when it is set to 1.
const EnvRun = "SMTLARK_FAKESOLVER"

// MaybeRun turns the process into a fake solver if the environment says so; it then never returns. A TestMain calls it
// first, so that the test binary can serve as the solver: Path is its own, and the profile's env sets EnvRun.
func MaybeRun() {
	if os.Getenv(EnvRun) == "1" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
}

type options struct {
	answer  string
	fault   string
	at      int // check-sat number for fault, 0 for each
	quoted  bool
	errors  string // "", "stop" or "stderr"
	noReset bool
	file    string
	sleep   time.Duration
	version string // to print; "": it answers
	silent  bool   // print nothing where there is no model
	pushed  bool   // plants fail below a push only
	plants  []plant
	refuses []string    // options
	fights  [][2]string // options that do not go together
	needs   [][2]string // the first one only after the second
	replies map[string]string
	once    *once // nil: the process does not die so
}

func parseArgs(args []string) (options, error) {
	o := options{answer: "sat"}
	for _, a := range args {
		if text, ok := strings.CutPrefix(a, onceFlag); ok {
			death, err := parseOnce(text)
			if err != nil {
				return o, err
			}
			o.once = death
			continue
		}
		name, value, _ := strings.Cut(a, "=")
		switch name {
		case "--answer":
			o.answer = value
		case "--fault":
			fault, at, numbered := strings.Cut(value, "@")
			o.fault = fault
			if numbered {
				n, err := strconv.Atoi(at)
				if err != nil {
					return o, fmt.Errorf("--fault=%s: %q is no number", value, at)
				}
				o.at = n
			}
		case "--plant":
			plants, err := parsePlants(value)
			if err != nil {
				return o, err
			}
			o.plants = plants
		case "--refuse":
			o.refuses = strings.Split(value, ",")
		case "--conflict", "--needs":
			for _, both := range strings.Split(value, ",") {
				a, b, ok := strings.Cut(both, "+")
				if !ok {
					return o, fmt.Errorf("%s=%s: want pairs of options, as in OPTION+OPTION,OPTION+OPTION", name, value)
				}
				if name == "--needs" {
					o.needs = append(o.needs, [2]string{a, b})
				} else {
					o.fights = append(o.fights, [2]string{a, b})
				}
			}
		case "--reply":
			command, text, ok := strings.Cut(value, ":")
			if !ok {
				return o, fmt.Errorf("--reply=%s: want COMMAND:TEXT", value)
			}
			if o.replies == nil {
				o.replies = map[string]string{}
			}
			o.replies[command] = text
		case "--quoted":
			o.quoted = true
		case "--errors":
			o.errors = value
		case "--no-reset":
			o.noReset = true
		case "--version":
			o.version = cmp.Or(value, "1.2.3")
		case "--pushed":
			o.pushed = true
		case "--silent-model":
			o.silent = true
		case "--incremental":
		case "--sleep":
			d, err := time.ParseDuration(value)
			if err != nil {
				return o, err
			}
			o.sleep = d
		default:
			if strings.HasPrefix(a, "-") {
				return o, fmt.Errorf("unknown option %s", a)
			}
			o.file = a
		}
	}
	return o, nil
}

type solver struct {
	options
	out     *bufio.Writer
	errOut  io.Writer
	checks  int
	status  string
	pending string // fault for the next check-sat
	last    string // last answer
	depth   int
	consts  []string
	failed  bool
	set     []string // options, since the last reset

	used     map[string]bool // operators of plants in the assertions
	asserted string

	echoes  int
	atEcho  string   // fault at the next echo
	held    string   // text to print after the next echo
	atReset bool     // die at the next reset or pop
	names   []string // echo texts not to print again
}

// Main runs the fake solver and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if real, ok := strings.CutPrefix(args[0], frontFlag); ok {
			return runFront(real, args[1:], stdin, stdout, stderr)
		}
	}
	// By the environment, tests give options to solvers that are started by campaigns.
	o, err := parseArgs(append(strings.Fields(os.Getenv("FAKESOLVER")), args...))
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "fakesolver:", err)
		return 2
	case o.sleep > 0:
		time.Sleep(o.sleep)
		return 0
	case o.version != "":
		fmt.Fprintln(stdout, "fake solver version", o.version)
		return 0
	}
	switch o.fault {
	case "die-at-start":
		fmt.Fprintln(stderr, "fakesolver: cannot find my library")
		return 127
	case "segv-at-start":
		dieBy(sigSEGV)
	case "slow-start":
		time.Sleep(300 * time.Millisecond)
		o.fault = ""
	case "mute":
		_, _ = io.Copy(io.Discard, stdin)
		sleepForever()
	}
	in := stdin
	if o.file != "" {
		f, err := os.Open(o.file)
		if err != nil {
			fmt.Fprintln(stderr, "fakesolver:", err)
			return 1
		}
		defer f.Close()
		in = f
	}
	s := &solver{options: o, out: bufio.NewWriter(stdout), errOut: stderr}
	code := s.serveCommands(bufio.NewReaderSize(in, 64<<10))
	s.out.Flush()
	return code
}

// serveCommands runs commands until the end of the input, exit, or an error that ends it.
func (s *solver) serveCommands(in *bufio.Reader) int {
	for {
		text, err := readCommand(in, s.out)
		if err != nil {
			if s.failed {
				return 1
			}
			return 0
		}
		code, stop := s.runCommand(text)
		if stop {
			return code
		}
	}
}

// runCommand executes one command; stop ends the process with the code.
func (s *solver) runCommand(text string) (code int, stop bool) {
	words := strings.Fields(strings.Trim(text, "()"))
	if len(words) == 0 {
		return s.reportError("empty command")
	}
	if s.once.isDue(text) {
		s.out.Flush()
		dieBy(sigSEGV)
	}
	switch words[0] {
	case "check-sat", "check-sat-assuming", "check-sat-using":
		s.checks++
		return s.answerCheck()
	case "echo":
		s.echoes++
		s.echoText(strings.Trim(strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "(echo"), ")")), `"`))
	case "set-info":
		if len(words) > 2 && words[1] == ":status" {
			s.status = words[2]
		}
		if len(words) > 2 && words[1] == ":fault" {
			s.pending = words[2]
		}
	case "declare-const", "declare-fun":
		s.consts = append(s.consts, words[1])
	case "assert":
		for _, p := range s.plants {
			if usesOperator(text, p.operator) {
				s.noteUse(p.operator, text)
			}
		}
	case "set-option":
		return s.setOption(words[1:])
	case "set-logic", "define-fun", "declare-sort", "declare-datatypes", "declare-datatype", "define-sort":
		// Declarations are ignored: answers depend only on :status and the plants.
	case "push", "pop":
		s.maybeDie()
		n := 1
		if len(words) > 1 {
			n, _ = strconv.Atoi(words[1])
		}
		if words[0] == "pop" {
			n = -n
		}
		// After the error, the level is 0, as in solvers.
		if s.depth += n; s.depth < 0 {
			s.depth = 0
			return s.reportError("pop without push")
		}
		if s.pushed && s.depth == 0 {
			s.used, s.asserted = nil, ""
		}
	case "reset", "reset-assertions":
		if s.noReset {
			return s.reportError("expected command at 'reset'")
		}
		s.maybeDie()
		s.status, s.pending, s.depth, s.consts, s.last = "", "", 0, nil, ""
		s.used, s.asserted, s.set = nil, "", nil
	case "get-unsat-core", "get-unsat-assumptions", "get-model", "get-value":
		return s.answerQuery(words[0])
	case "get-info":
		s.printLine(`(:name "fake")`)
	case "exit":
		return 0, true
	default:
		return s.runOwnCommand(words[0], text)
	}
	return 0, false
}

// runOwnCommand carries out a command beyond SMT-LIB.
func (s *solver) runOwnCommand(name, text string) (code int, stop bool) {
	for _, p := range s.plants {
		if p.operator == name {
			s.noteUse(name, text)
			if code, stop, done := s.runPlantedFault(s.last); done || stop {
				return code, stop
			}
		}
	}
	reply, given := s.replies[name]
	if !given {
		reply = "unsupported"
	}
	s.printLine(reply)
	return 0, false
}

// noteUse notes that an operator of a plant is used.
func (s *solver) noteUse(operator, text string) {
	if s.used == nil {
		s.used = map[string]bool{}
	}
	s.used[operator] = true
	s.asserted += text
}

// answerQuery answers questions about the latest answer: by the text of --reply, if there is one.
func (s *solver) answerQuery(command string) (code int, stop bool) {
	text, given := s.replies[command]
	switch command {
	case "get-unsat-core", "get-unsat-assumptions":
		if given && s.last != "unsat" {
			return s.reportError("the latest answer is not unsat")
		}
		if !given {
			text = "unsupported"
		}
	case "get-model":
		if s.last != "sat" && s.silent {
			return 0, false
		}
		if s.last != "sat" {
			return s.reportError("model is not available")
		}
		if !given {
			lines := []string{"("}
			for _, c := range s.consts {
				lines = append(lines, "  (define-fun "+c+" () Int 0)")
			}
			text = strings.Join(append(lines, ")"), "\n")
		}
	case "get-value":
		if !given {
			text = "((x 0))"
		}
	}
	s.printLine(text)
	return 0, false
}

// setOption sets an option, or fails if --refuse, --conflict or --needs says so. words are ":NAME" or ":NAME VALUE".
func (s *solver) setOption(words []string) (code int, stop bool) {
	name := strings.TrimPrefix(strings.Join(words, "="), ":")
	is := func(x string) bool { return name == x || strings.HasPrefix(name, x+"=") }
	has := func(x string) bool {
		return slices.ContainsFunc(s.set, func(y string) bool { return y == x || strings.HasPrefix(y, x+"=") })
	}
	for _, x := range s.refuses {
		if is(x) {
			return s.reportError("unknown option " + x)
		}
	}
	for _, c := range s.fights {
		if is(c[0]) && has(c[1]) || is(c[1]) && has(c[0]) {
			return s.reportError("options " + c[0] + " and " + c[1] + " do not go together")
		}
	}
	for _, c := range s.needs {
		if is(c[0]) && !has(c[1]) {
			return s.reportError("option " + c[0] + " needs " + c[1])
		}
	}
	s.set = append(s.set, name)
	return 0, false
}

func (s *solver) maybeDie() {
	if s.atReset {
		s.out.Flush()
		dieBy(sigSEGV)
	}
}

func (s *solver) printLine(text string) {
	s.out.WriteString(text)
	s.out.WriteByte('\n')
}

// reportError reports an error as the option --errors says.
func (s *solver) reportError(text string) (code int, stop bool) {
	s.failed = true
	switch s.errors {
	case "stderr":
		s.out.Flush()
		fmt.Fprintf(s.errOut, "[error] <stdin>:1:1: %s\n", text)
		return 1, true
	case "stop":
		s.printLine(`(error "` + text + `")`)
		return 1, true
	}
	s.printLine(`(error "line 1 column 1: ` + text + `")`)
	return 0, false
}

func (s *solver) echoText(text string) {
	line := text
	if s.quoted {
		line = `"` + text + `"`
	}
	fault := s.atEcho
	s.atEcho = ""
	for i, n := range s.names {
		if n == text {
			s.names = append(s.names[:i], s.names[i+1:]...)
			return
		}
	}
	switch fault {
	case "marker-wrong":
		line = "smtlark-liar"
	case "marker-missing":
		return
	case "marker-double":
		s.printLine(line)
	case "marker-early":
		if i := strings.LastIndexByte(text, '-'); i >= 0 {
			if n, err := strconv.Atoi(text[i+1:]); err == nil {
				for k := n; k <= n+2; k++ {
					next := text[:i+1] + strconv.Itoa(k)
					s.printLine(strings.Replace(line, text, next, 1))
					s.names = append(s.names, next)
				}
				return
			}
		}
	}
	s.printLine(line)
	if s.held != "" {
		s.printLine(s.held)
		s.held = ""
	}
}

// readCommand reads a balanced S-expression. Before it waits for input it flushes the output.
func readCommand(in *bufio.Reader, out *bufio.Writer) (string, error) {
	var b strings.Builder
	depth := 0
	var quote byte
	comment := false
	for {
		if in.Buffered() == 0 {
			out.Flush()
		}
		c, err := in.ReadByte()
		if err != nil {
			return "", err
		}
		switch {
		case comment:
			comment = c != '\n'
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == ';':
			comment = true
			continue
		case c == '"' || c == '|':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		if depth > 0 || c == ')' {
			b.WriteByte(c)
		}
		if depth == 0 && b.Len() > 0 {
			return b.String(), nil
		}
	}
}
