package solvers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/solvers/build"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// Mode chooses how a target feeds cases to its solver. The modes exercise different code in a solver, so each is a
// target of its own.
type Mode string

// The modes of process targets.
const (
	Fresh       Mode = "fresh"       // one process and one file per case, as a user runs it
	Reset       Mode = "reset"       // one process, (reset) between cases
	Incremental Mode = "incremental" // one process, each case between push and pop
)

// Native is the mode of targets that call a solver's C library in a child process, see solvers/native.
const Native Mode = "native"

// Modes returns the modes of process targets in the order in which tables list them.
func Modes() []Mode { return []Mode{Fresh, Reset, Incremental} }

// ParseMode reads a mode's name.
func ParseMode(name string) (m Mode, ok bool) {
	for _, m := range append(Modes(), Native) {
		if string(m) == name {
			return m, true
		}
	}
	return "", false
}

// Limits bound one run. A zero field means the target's default.
type Limits struct {
	Wall   time.Duration // wall-clock time; the process group is killed when it is over
	CPU    time.Duration // CPU time, enforced by the kernel with a resolution of a second
	Budget time.Duration // CPU time after which a solver is asked to end, where that is possible (mode native); 0: none
	Memory int64         // bytes (see Profile.MemoryLimit for what is counted)
	Output int64         // bytes of stdout and stderr together
	// EachCall says that the limits of a session hold for each call, not for all calls together.
	EachCall bool `json:"-"`
}

// Or fills the zero fields of l from d.
func (l Limits) Or(d Limits) Limits {
	return Limits{
		Wall:   cmp.Or(l.Wall, d.Wall),
		CPU:    cmp.Or(l.CPU, d.CPU),
		Budget: cmp.Or(l.Budget, d.Budget),
		Memory: cmp.Or(l.Memory, d.Memory),
		Output: cmp.Or(l.Output, d.Output),

		EachCall: l.EachCall || d.EachCall,
	}
}

// Solver is one binary found on this machine.
type Solver struct {
	Profile *Profile
	Name    string // unique among the solvers found, such as "z3-4.8.12"
	Path    string // absolute path of the program (or of its start script)
	Version string
	// Unusable is empty when the solver can be used, else it says why not and what to do.
	Unusable string
	// Exec is the start of the argument vector. It is [Path], or what the start script at Path would execute.
	Exec []string
	// Args are those of Profile.TryArgs that this binary accepts.
	Args []string
	// Library is the path of a C library, "" for a program. Then Path and Args start smtlark itself as the child that
	// holds it, and the only mode is Native.
	Library string
	// Broken says why a mode of the profile does not work with this binary (see process.Preflight).
	Broken map[Mode]string
}

// Files lists the files that identify the build of the solver: its program or library, and the solver's own libraries
// that it loads.
func (s *Solver) Files() []string {
	argv := s.Exec
	if s.Library != "" { // Exec is the loader and smtlark
		argv = append(slices.Clone(argv[:max(0, len(argv)-1)]), s.Library)
	}
	return build.Files(argv, "lib"+s.Profile.Name)
}

// Build identifies the build of the solver; nil where its files cannot be read.
func (s *Solver) Build() *build.Info {
	info, err := build.Of(s.Files())
	if err != nil {
		return nil
	}
	return info
}

// Bare returns the solver without anything that its profile adds to the command line or sends before a case. It runs as
// when its developers type its name and a file. The solver has to be a program.
func (s *Solver) Bare() (*Solver, error) {
	none := []string{}
	p, err := ProfileFromMap(map[string]any{
		"name": s.Profile.Name, "base": s.Profile.Name, "binaries": s.Profile.Binaries, "modes": []string{string(Fresh)},
		"args": none, "try_args": none, "fresh_args": none, "incremental_args": none, "preamble": none,
	}, s.Profile)
	if err != nil {
		return nil, err
	}
	bare := *s
	bare.Profile, bare.Args, bare.Broken = p, nil, nil
	return &bare, nil
}

// Modes returns the modes this solver can be used in; none when it is unusable.
func (s *Solver) Modes() []Mode {
	if s.Unusable != "" {
		return nil
	}
	if s.Library != "" {
		return []Mode{Native}
	}
	var modes []Mode
	for _, m := range s.Profile.ModeList() {
		if s.Broken[m] == "" {
			modes = append(modes, m)
		}
	}
	return modes
}

// ReplyKind says what a command prints when print-success is off.
type ReplyKind uint8

// The kinds of replies.
const (
	NoReply     ReplyKind = iota // nothing (assert, declare-fun, ...)
	AnswerReply                  // sat, unsat or unknown (check-sat and its kin)
	ValueReply                   // one or more S-expressions (get-..., echo)
)

// PrintedCommand is a command as text, for solvers that read text. Everything else uses smtlib.Command and Call.
type PrintedCommand struct {
	Text  string
	Reply ReplyKind
	// When restricts a command to the case that the latest check-sat gave this answer; None means always. Only the
	// persistent modes can hold a command back: in mode fresh it is always part of the file, and its error reply (no
	// model after unsat) does not count as one.
	When smtlib.Answer
}

// Query is a question for a target: a self-contained sequence of commands.
type Query struct {
	// Commands is the text. Targets that read text use nothing else; it excludes calls of further solvers.
	Commands []PrintedCommand
	Logic    string // as in set-logic, "" when there is none
	Models   bool   // the profile's ModelOptions come before the commands
	Cores    bool   // the profile's CoreOptions come before the commands
	// Shares says that a library may run the query, between a push and a pop, in a solver that served earlier queries,
	// as for cases of a campaign. Other queries get a solver of their own.
	Shares bool
	// Expected lists the known answer to each check-sat, in their order. If a solver stops at its first error, commands
	// that need another answer are left out of its file.
	Expected []smtlib.Answer
	// Counts says that the run reports the edges it took, if the solver counts them, see Counter.
	Counts bool
	// Script is the source of the commands, for targets that do not read text (Calls); nil for a query that is only
	// text. Trace has all calls of a case that was made as a trace; the script has the commands of its solver 0.
	// Queries of text store no list of calls: it would add 12 % to the time of printing and double the memory (4,800
	// commands of 200 benchmarks), and targets that read text would skip calls that are not theirs.
	Script *smtlib.Script
	Trace  *Trace
}

// getModel is the command that WithModel adds.
const getModel = "(get-model)"

// WithModel returns a copy of the query that asks for a model after each check-sat that answers sat.
func (q *Query) WithModel() *Query {
	out := *q
	out.Models = true
	out.Commands = make([]PrintedCommand, 0, len(q.Commands)+q.Count(AnswerReply))
	for _, c := range q.Commands {
		out.Commands = append(out.Commands, c)
		if c.Reply == AnswerReply {
			out.Commands = append(out.Commands, PrintedCommand{Text: getModel, Reply: ValueReply, When: smtlib.Sat})
		}
	}
	return &out
}

// Text returns the commands, one a line.
func (q *Query) Text() string {
	n := 0
	for i := range q.Commands {
		n += len(q.Commands[i].Text) + 1
	}
	var b strings.Builder
	b.Grow(n)
	for i := range q.Commands {
		b.WriteString(q.Commands[i].Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Applicable returns the query without the commands that need an answer other than the one expected of the check-sat
// before them. values has, for each remaining value, its number in the original query.
func (q *Query) Applicable() (out *Query, values []int) {
	check := -1
	return q.without(func(c *PrintedCommand) bool {
		if c.Reply == AnswerReply {
			check++
		}
		return c.When != smtlib.None && check >= 0 && check < len(q.Expected) && q.Expected[check].Decided() &&
			q.Expected[check] != c.When
	})
}

// WithoutModels returns the query without the models that it asks for beyond its script (WithModel), if the script
// declares something whose sort is of one of the given kinds; else it returns the query itself. values has, for each
// remaining value, its number in the original query.
func (q *Query) WithoutModels(kinds []string) (out *Query, values []int) {
	if len(kinds) == 0 || !q.Models || q.Script == nil {
		return q, nil
	}
	if !scope.DeclareKind(q.Script.Arena, q.Script.Commands, kinds) {
		return q, nil
	}
	return q.without(func(c *PrintedCommand) bool { return c.Text == getModel && c.When == smtlib.Sat })
}

// without returns the query without some commands, and the numbers that the values of the others have in the query.
func (q *Query) without(drop func(c *PrintedCommand) bool) (out *Query, values []int) {
	fewer := *q
	fewer.Commands = nil
	value := -1
	for i := range q.Commands {
		c := &q.Commands[i]
		if c.Reply == ValueReply {
			value++
		}
		if drop(c) {
			continue
		}
		if fewer.Commands = append(fewer.Commands, *c); c.Reply == ValueReply {
			values = append(values, value)
		}
	}
	return &fewer, values
}

// SpreadValues puts the values of a query that was sent without some commands into their places in the list for the
// whole query.
func SpreadValues(whole, values []string, places []int) []string {
	for i, at := range places {
		if i < len(values) {
			whole[at] = values[i]
		}
	}
	return whole
}

// Count returns the number of commands with the given kind of reply.
func (q *Query) Count(r ReplyKind) int {
	n := 0
	for i := range q.Commands {
		if q.Commands[i].Reply == r {
			n++
		}
	}
	return n
}

// Failure is a fault that was found during a run.
type Failure struct {
	Message string `json:"message"`
	// Want is the expected answer, if a further solver of a trace gave a wrong one.
	Want smtlib.Answer `json:"want,omitempty"`
}

// Run is the run of one query on one target.
type Run struct {
	Target  string
	Solver  string
	Version string
	Mode    Mode
	Class   Class // the most serious thing that happened
	// Answers has one element per command with an AnswerReply. Answers are reliable whatever Class is. An answer is
	// None if it never came, or if the solver had rejected an earlier command that is part of the problem, because it
	// then answered a different problem.
	Answers []smtlib.Answer
	// Values has the raw reply of each command with a ValueReply, "" when it never came or was not asked for.
	Values []string
	// RoundsReals says that numbers with six decimal places in Values may be rounded; see IsRounded.
	RoundsReals bool
	// Failed lists the faults found while the run went on: by actions of a campaign file (see ExpectationError), by
	// further solvers of a trace, by sessions that check.
	Failed []Failure
	// Stdout and Stderr are what the process wrote during this run, at most Limits.Output bytes each,
	// without the framing that the persistent modes add.
	Stdout, Stderr string
	ExitCode       int      // -1 when the process did not exit by itself during this run
	Signal         string   // such as "SIGSEGV"; "" when no signal ended the process
	Message        string   // the normalised line that explains Class, see Normalize
	Argv           []string // as a user would type it, starting with Solver.Path
	Preamble       string   // commands sent before the case (options), one a line
	CPU, Wall      time.Duration
	PeakMemory     int64 // bytes; in persistent modes the peak of the process so far
	// Coverage has the edges that the run took; nil if the query does not ask for them, or the solver does not count
	// them.
	Coverage *coverage.Taken
}

// Answer returns the last answer of the run, None when there is none.
func (r *Run) Answer() smtlib.Answer {
	if len(r.Answers) == 0 {
		return smtlib.None
	}
	return r.Answers[len(r.Answers)-1]
}

// Starved reports whether the run reached its wall-clock limit having used less than a tenth of it as CPU time. The
// machine was busy, or the process was waiting.
func (r *Run) Starved() bool { return r.Class == Timeout && r.CPU < r.Wall/10 }

// roundedReal is a number as printf's %f writes it.
var roundedReal = pattern.Lazy(`[0-9]\.[0-9]{6}\b`)

// HasRoundedReal reports whether a reply with values has a number that may be rounded, if its solver rounds some.
func HasRoundedReal(reply string) bool { return roundedReal().MatchString(reply) }

// IsRounded reports whether a reply of the run has a number that may be rounded.
func (r *Run) IsRounded(reply string) bool { return r.RoundsReals && HasRoundedReal(reply) }

// Target runs queries on one solver in one mode. A target is used by one goroutine at a time.
type Target interface {
	Name() string
	Solver() *Solver
	Mode() Mode
	// Run never returns nil and never panics. A process that died is restarted by the next Run.
	Run(ctx context.Context, q *Query, lim Limits) *Run
	Close() error
}

// InputRunner is a target that can be given its whole input at once, as from a shell: in a file, or on standard input
// in the modes that keep a process for many cases. Run sends a case piece by piece, with markers in between; a fault
// that depends on the process's memory layout may show in only one of the two ways.
type InputRunner interface {
	// RunInput starts a process for a text, with the arguments for the query, and returns when the process ends. It
	// ignores output up to and including the line that contains from; if from is "", it reads everything. The run has
	// answers and no values.
	RunInput(ctx context.Context, q *Query, text, from string, lim Limits) *Run
}

// Counter is a target whose solver may be instrumented to count the edges of its control flow, see package coverage.
type Counter interface {
	// Counts returns the number of edges of the solver, 0 if it is not instrumented or must not count. An error says
	// why an instrumented solver cannot count.
	Counts(ctx context.Context) (int, error)
	// UseStatistics uses the solver's own statistics in place of edges, if the solver is not instrumented and its
	// profile says that it reports statistics (coverage.OfStatistics).
	UseStatistics()
	// Modules returns the instrumented files of the solver, to map edges to its source.
	Modules(ctx context.Context) ([]coverage.Module, error)
}

// LimitsOf returns a target's default limits; zero Limits if the target does not have a method Limits.
func LimitsOf(t Target) Limits {
	if l, ok := t.(interface{ Limits() Limits }); ok {
		return l.Limits()
	}
	return Limits{}
}

// HowBuilt returns the program's output about its configuration, see Profile.BuildArgs; "" if there is none.
func (s *Solver) HowBuilt() string {
	if s.Profile == nil || len(s.Profile.BuildArgs) == 0 || s.Library != "" {
		return ""
	}
	text, err := printedFor(s, s.Profile.BuildArgs)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(text, ""))
}

// ModelIn returns the reply to the last get-model that was answered, among the values of a run of the query; "" if
// there is none.
func (q *Query) ModelIn(values []string) string {
	text, value := "", 0
	for i := range q.Commands {
		c := &q.Commands[i]
		if c.Reply != ValueReply {
			continue
		}
		if value < len(values) && c.Text == getModel && values[value] != "" {
			text = values[value]
		}
		value++
	}
	if strings.HasPrefix(text, "(error") {
		return ""
	}
	return text
}

// ModeOr returns m if the solver has it. If m is "", it returns the best mode for campaigns: Reset if available, else
// Fresh.
func (s *Solver) ModeOr(m Mode) (Mode, error) {
	modes := s.Modes()
	if m == "" {
		m = Fresh
		if slices.Contains(modes, Reset) {
			m = Reset
		}
	}
	if slices.Contains(modes, m) {
		return m, nil
	}
	why := ""
	if s.Broken[m] != "" {
		why = ": " + s.Broken[m]
	}
	return "", fmt.Errorf("%s has no mode %q, it has %v%s", s.Name, m, modes, why)
}
