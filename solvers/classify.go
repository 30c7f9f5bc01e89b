package solvers

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// Evidence is the input of Classify: the messages, exit status and memory use of a process.
type Evidence struct {
	Errors      string // the error replies of stdout and its lines that are no replies, one after the other
	Stderr      string
	ExitCode    int    // -1 when it was ended by a signal, or still runs
	Signal      string // such as "SIGSEGV"
	PeakMemory  int64  // bytes
	MemoryLimit int64  // bytes, 0 for none
	// ErrorsBefore says that the solver went on after its error replies, so they are not part of the message of a
	// death.
	ErrorsBefore bool
}

// genericPatterns hold for any program; those of the profile are tried first. They are matched against error replies
// and stderr only, never against a model.
var genericPatterns = [len(classNames)]func() *regexp.Regexp{
	OutOfMemory: pattern.Lazy(`(?i)out of memory|std::bad_alloc|memory exhausted|cannot allocate memory|failed to allocate memory|OutOfMemory`),
	Assertion: pattern.Lazy("Assertion .*failed|assertion failed|ASSERTION VIOLATION|AssertionError|Fatal failure within|" +
		"internal error|Internal error|panicked at|Assertion failure|Check failure"),
	Crash: pattern.Lazy(`ERROR: (Address|HWAddress|Memory|Thread)Sanitizer|: runtime error: |UndefinedBehaviorSanitizer|` +
		`terminate called|suffered a seg|Segmentation fault|segmentation fault|pure virtual method called|double free or corruption|` +
		`(?m:^(free|malloc|realloc|munmap_chunk|corrupted)\b.*(invalid|corrupt|smallbin|unsorted|memory|size))|stack smashing detected|` +
		`buffer overflow detected|NullPointerException|StackOverflowError|Fatal error: exception|stack overflow`),
	Unsupported: pattern.Lazy(`(?i)not supported|unsupported|not (yet )?implemented|unimplemented`),
	Refusal:     pattern.Lazy(`(?i)not enabled|not available|must be (enabled|set)|requires (option|logic)|cannot (get|set|change)|unknown (option|parameter)`),
	ParseError:  pattern.Lazy(`(?i)parse error|syntax error|undefined symbol|undeclared|not declared|unexpected token|ill-sorted|ill-typed|sort mismatch|type mismatch|line \d+,? column \d+|(?m:^[^:\n]*:\d+:\d+:)`),
	Timeout:     pattern.Lazy(`interrupted by (timeout|SIGXCPU)|(?m:^timeout$)`),
}

// crashSignals are the signals that a program raises by a fault or by abort.
var crashSignals = map[string]int{"SIGSEGV": 11, "SIGABRT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGILL": 4, "SIGTRAP": 5,
	"SIGSYS": 31}

// Classify returns the class that the evidence shows, with the normalised message that shows it. It is a pure function:
// OK means "nothing went wrong", not that all replies came. It does not handle limits that smtlark itself enforced,
// with one exception: a fault signal at two thirds of the memory limit or more counts as OutOfMemory. Failed
// allocations are rarely handled, and memory that was asked for but not yet touched does not show in the peak.
func (p *Profile) Classify(e Evidence) (Class, string) {
	if err := p.Validate(); err != nil {
		return SolverError, err.Error()
	}
	e.ErrorsBefore = e.ErrorsBefore || p.ContinuesAfterError
	return p.Replies.classify(e)
}

func (r *Replies) classify(e Evidence) (Class, string) {
	if e.Errors == "" && e.Stderr == "" && e.ExitCode == 0 && e.Signal == "" {
		return OK, ""
	}
	e.Errors = beginningAndEnd(e.Errors)
	stderr := r.withoutIgnored(beginningAndEnd(e.Stderr))
	text := strings.TrimRight(e.Errors, "\n") + "\n" + stderr
	plain := withoutSymbols(text)
	died := r.deathClass(e)
	for _, c := range []Class{Timeout, OutOfMemory} {
		if m, ok := r.matchClass(c, text, plain); ok && (died != OK || e.ExitCode != 0 || e.Errors != "") {
			return c, m
		}
	}
	for _, c := range []Class{Assertion, Crash} {
		if m, ok := r.matchClass(c, text, plain); ok {
			if re := r.patterns[Unsupported]; re != nil && re.MatchString(m) {
				return Unsupported, m
			}
			if nearLimit(e) {
				return OutOfMemory, m
			}
			return c, m
		}
	}
	if died != OK && died != SolverError {
		// Near the memory limit, a segmentation fault is more likely due to a failed allocation than to a bug.
		if died == Crash && nearLimit(e) {
			died = OutOfMemory
		}
		return died, deathMessage(e, stderr)
	}
	if e.Errors == "" && died == OK {
		return OK, "" // warnings on stderr
	}
	if died == OK && r.Errors == "stderr" {
		stderr = ""
	}
	for _, c := range []Class{Unsupported, Refusal, ParseError} {
		if m, ok := r.matchClass(c, text, plain); ok {
			return c, m
		}
	}
	return SolverError, errorMessage(e, stderr)
}

// quotedSymbol is a quoted symbol of SMT-LIB, within a line.
var quotedSymbol = pattern.Lazy(`\|[^|\n]*\|`)

// withoutSymbols replaces each symbol between bars by as many letters. A message that quotes a symbol does not say what
// the symbol says, as in (error "unknown constant |out of memory|").
func withoutSymbols(text string) string {
	if !strings.Contains(text, "|") {
		return text
	}
	return quotedSymbol().ReplaceAllStringFunc(text, func(symbol string) string {
		return strings.Repeat("x", len(symbol))
	})
}

// matchClass looks for a class's patterns in plain, which is text withoutSymbols, and returns the normalised message
// around the first hit.
func (r *Replies) matchClass(c Class, text, plain string) (string, bool) {
	all := []*regexp.Regexp{r.patterns[c]}
	if generic := genericPatterns[c]; generic != nil {
		all = append(all, generic())
	}
	for _, re := range all {
		if re == nil {
			continue
		}
		if at := re.FindStringIndex(plain); at != nil {
			lines := 1
			if c == Assertion || c == Crash {
				lines = 4
			}
			return Normalize(linesFrom(text, at[0], lines)), true
		}
	}
	return "", false
}

// deathClass judges the exit code and signal alone; SolverError stands for a failure code that nothing explains.
func (r *Replies) deathClass(e Evidence) Class {
	signal := e.Signal
	if signal == "" {
		if c, ok := r.exits[e.ExitCode]; ok {
			return c
		}
		for s, n := range crashSignals {
			if e.ExitCode == 128+n { // a start script reports its child's signal so
				signal = s
			}
		}
	}
	switch {
	case signal == "" && e.ExitCode <= 0:
		return OK
	case signal == "":
		return SolverError
	case signal == "SIGXCPU":
		return Timeout
	case signal == "SIGXFSZ":
		return OutputLimit
	case crashSignals[signal] != 0:
		return Crash
	}
	return Killed
}

// beginningAndEnd keeps the beginning and the end of a long text: patterns cost some 20 ns a byte.
func beginningAndEnd(text string) string {
	const part = 16 << 10
	if len(text) <= 2*part {
		return text
	}
	return text[:part] + "\n" + text[len(text)-part:]
}

func nearLimit(e Evidence) bool {
	return e.MemoryLimit > 0 && e.PeakMemory >= e.MemoryLimit/3*2
}

func (r *Replies) withoutIgnored(stderr string) string {
	if r.ignored == nil || stderr == "" {
		return stderr
	}
	var b strings.Builder
	for _, line := range strings.SplitAfter(stderr, "\n") {
		if !r.ignored.MatchString(strings.TrimRight(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Ignored reports whether the profile says that a line of output means nothing.
func (p *Profile) Ignored(line string) bool {
	return p.Validate() == nil && p.Replies.ignored != nil && p.Replies.ignored.MatchString(line)
}

func deathMessage(e Evidence, stderr string) string {
	what := e.Signal
	if what == "" {
		what = fmt.Sprintf("exit code %d", e.ExitCode)
	}
	said := e.Errors + "\n" + stderr
	if e.ErrorsBefore {
		said = stderr
	}
	if m := Normalize(firstLine(said)); m != "" {
		return what + ": " + m
	}
	return what
}

// BareError is the reply that Princess prints instead of (error "..."); the message is on stderr.
const BareError = "error"

func errorMessage(e Evidence, stderr string) string {
	if m := Normalize(firstLine(e.Errors)); m != "" && m != BareError {
		return m
	}
	if m := Normalize(firstLine(stderr)); m != "" {
		return m
	}
	return fmt.Sprintf("exit code %d", e.ExitCode)
}

// firstLine returns the first line with something in it.
func firstLine(text string) string {
	text = strings.TrimLeft(text, " \t\r\n")
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// linesFrom returns the line that holds position at and up to n-1 more lines with something in them, joined by
// blanks.
func linesFrom(text string, at, n int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	var parts []string
	for _, line := range strings.Split(text[start:min(len(text), start+4096)], "\n") {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
		if len(parts) == n {
			break
		}
	}
	return strings.Join(parts, " ")
}
