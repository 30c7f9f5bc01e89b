package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// errorFrame is one call on the way to an error, with the source line it is in.
type errorFrame struct {
	Pos    syntax.Position
	Func   string // the function, "<toplevel>", or "" for an error of the grammar
	Source string // the line, trimmed at the right; "" when unknown
	Repeat int    // how many more calls came from the same place (recursion)
}

// ScriptError is an error of a campaign file or module as shown to its author: the place, the line, the problem, and a
// hint.
type ScriptError struct {
	Frames []errorFrame // outermost first; may be empty
	Msg    string
	// Context is added by the caller who knows which case it was:
	// "case 18, seed 0x51f2; replay: smtlark run flip.star --seed 0x51f2 --case 18".
	Context string
	// GoStack is set for a panic of smtlark itself.
	GoStack []byte

	more  []*ScriptError // further errors of the same file
	caret bool           // point at the column: errors of the grammar
	cause error
}

// Frames shown of a long backtrace: the first and the last ones.
const (
	headFrames = 6
	tailFrames = 12
)

// Unwrap returns what went wrong underneath: a registry.Signal, a *BudgetError, the
// context's error, or a Go error of a builtin.
func (e *ScriptError) Unwrap() error { return e.cause }

// Internal reports whether the error is a mistake in smtlark.
func (e *ScriptError) Internal() bool { return e.GoStack != nil }

// InLibrary reports whether only the library, and not the author's file, is on the way to the error.
func (e *ScriptError) InLibrary() bool {
	return len(e.Frames) > 0 && !slices.ContainsFunc(e.Frames, func(f errorFrame) bool { return !strings.HasPrefix(f.Pos.Filename(), stdPrefix) })
}

// AddContext returns the error with a line below its message; see registry.AddContext.
func (e *ScriptError) AddContext(line string) error {
	c := *e
	c.Context = line
	return &c
}

// Error renders the whole message without a final newline.
func (e *ScriptError) Error() string {
	var b strings.Builder
	for i, f := range e.Frames {
		if e.isFrameShown(i) {
			f.writeTo(&b, e.caret && i == len(e.Frames)-1)
		} else if i == headFrames {
			fmt.Fprintf(&b, "... %d more calls ...\n", len(e.Frames)-headFrames-tailFrames)
		}
	}
	fmt.Fprintf(&b, "Error: %s", e.Msg)
	for _, m := range e.more {
		b.WriteString("\n" + m.Error())
	}
	if e.GoStack != nil {
		fmt.Fprintf(&b, "\n%s", strings.TrimSpace(string(e.GoStack)))
	}
	if e.Context != "" {
		b.WriteString("\n" + e.Context)
	}
	return b.String()
}

// isFrameShown reports whether frame i is printed.
func (e *ScriptError) isFrameShown(i int) bool {
	n := len(e.Frames)
	return n <= headFrames+tailFrames || i < headFrames || i >= n-tailFrames
}

func (f *errorFrame) writeTo(b *strings.Builder, caret bool) {
	fmt.Fprintf(b, "%s:%d:%d", display.Line(f.Pos.Filename()), f.Pos.Line, f.Pos.Col)
	if f.Func != "" && f.Func != "<expr>" {
		fmt.Fprintf(b, ": in %s", f.Func)
	}
	b.WriteByte('\n')
	if f.Source == "" {
		return
	}
	text := strings.TrimLeft(f.Source, " \t")
	at := int(f.Pos.Col) - 1 - (len(f.Source) - len(text))
	text, at = cutAround(text, at)
	fmt.Fprintf(b, "    %s\n", text)
	if caret && at >= 0 && at <= len(text) {
		fmt.Fprintf(b, "    %s^\n", strings.Repeat(" ", len([]rune(text[:at]))))
	}
	if f.Repeat > 0 {
		fmt.Fprintf(b, "... %d more calls from there ...\n", f.Repeat)
	}
}

// maxShown bounds the part of a source line that is shown, in bytes.
const maxShown = 200

// cutAround shortens a long line to the text near a position, and returns the new position.
func cutAround(line string, at int) (string, int) {
	if len(line) <= maxShown {
		return line, at
	}
	from := min(max(at-maxShown/2, 0), len(line)-maxShown)
	shown := strings.ToValidUTF8(line[from:from+maxShown], "?")
	at -= from
	if from > 0 {
		shown, at = "... "+shown, at+len("... ")
	}
	if from+maxShown < len(line) {
		shown += " ..."
	}
	return shown, at
}

// ErrorAt returns an error about the text at a position of a file.
func (in *Interpreter) ErrorAt(pos syntax.Position, err error) error {
	e := &ScriptError{Msg: err.Error(), cause: err}
	if pos.IsValid() {
		e.Frames = []errorFrame{in.src.newFrame(pos, "")}
	}
	return e
}

// newError turns any error of loading or running scripts into a *ScriptError.
func (in *Interpreter) newError(err error) *ScriptError {
	var done *ScriptError
	if errors.As(err, &done) {
		return done
	}
	e := &ScriptError{cause: err}
	e.addTrace(err, in.src)

	var gram syntax.Error
	var names resolve.ErrorList
	var p *registry.Panic
	var c *cancelled
	var result *registry.ResultError
	if errors.As(err, &result) {
		if pos, function, ok := result.Place(); ok {
			e.Frames = append(e.Frames, in.src.newFrame(pos, function))
		}
	}
	switch {
	case errors.As(err, &c):
		e.Msg, e.cause = c.reason.Error(), c.reason
		if errors.Is(c.reason, context.Canceled) {
			e.Msg = "stopped"
		}
	case errors.As(err, &p):
		e.Msg, e.GoStack = p.Error(), p.GoStack
	case errors.As(err, &gram):
		e.caret = true
		text := in.src.textOf(gram.Pos.Filename())
		gram = AtLineEnd(text, gram)
		e.Frames = append(e.Frames, in.src.newFrame(gram.Pos, ""))
		e.Msg = GrammarMessage(text, gram)
	case errors.As(err, &names):
		e.addNames(names, in.src)
	default:
		msg := innermostMessage(err)
		e.Msg = runtimeHint(msg)
		if msg == stackOverflow {
			e.Msg = e.endlessCalls()
		}
		e.fixCallee(in.src)
	}
	return e
}

var wrongCall = pattern.Lazy(`^function (\w+) (?:got|missing|accepts|takes)\b`)
var missingAll = pattern.Lazy(`missing \d+ arguments? \((.*)\)$`)
var wrongKeyword = pattern.Lazy(`got an unexpected keyword argument "(\w+)"$`)

// fixCallee handles a call that does not fit the parameters of a script's function: the
// language puts it into the function, where its author is not to blame.
func (e *ScriptError) fixCallee(src *Sources) {
	m := wrongCall().FindStringSubmatch(e.Msg)
	n := len(e.Frames)
	if m == nil || n == 0 || e.Frames[n-1].Func != m[1] {
		return
	}
	callee := e.Frames[n-1]
	if n > 1 {
		e.Frames = e.Frames[:n-1]
	}
	params := src.parametersOf(callee)
	if kw := wrongKeyword().FindStringSubmatch(e.Msg); kw != nil {
		if hint := spelling.Nearest(kw[1], params); hint != "" {
			e.Msg += fmt.Sprintf(" (did you mean '%s'?)", hint)
		}
		e.Msg += fmt.Sprintf("; %s takes %s", m[1], strings.Join(params, ", "))
	}
	if all := missingAll().FindStringSubmatch(e.Msg); all != nil && len(params) > 0 && all[1] == strings.Join(params, ", ") {
		e.Msg += fmt.Sprintf("; is the function itself meant? That is %s without ()", m[1])
	}
}

// addNames reports the names that mean nothing, at most maxNames of them.
func (e *ScriptError) addNames(names resolve.ErrorList, src *Sources) {
	const maxNames = 10
	slices.SortStableFunc(names, func(a, b resolve.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	for i, n := range names {
		one := &ScriptError{Frames: []errorFrame{src.newFrame(n.Pos, "")}, Msg: src.nameHint(n.Msg), caret: true}
		switch {
		case i == 0:
			e.Frames, e.Msg, e.caret = append(e.Frames, one.Frames...), one.Msg, true
		case i < maxNames:
			e.more = append(e.more, one)
		default:
			e.more = append(e.more, &ScriptError{Msg: fmt.Sprintf("and %d more of this kind", len(names)-maxNames)})
			return
		}
	}
}

// addTrace collects the stacks of all threads on the way to the error, outermost first:
// a load statement, then the loaded module.
func (e *ScriptError) addTrace(err error, src *Sources) {
	var last starlark.CallStack
	flush := func() {
		for _, fr := range last {
			if fr.Pos.Filename() == "<builtin>" {
				continue
			}
			if n := len(e.Frames); n > 0 && e.Frames[n-1].Pos == fr.Pos && e.Frames[n-1].Func == fr.Name {
				e.Frames[n-1].Repeat++
				continue
			}
			e.Frames = append(e.Frames, errorFrame{Pos: fr.Pos, Func: fr.Name})
		}
	}
	for err != nil {
		if ev, ok := err.(*starlark.EvalError); ok {
			if last != nil && !extendsStack(ev.CallStack, last) {
				flush()
			}
			last = ev.CallStack // of one thread only the deepest stack counts
		}
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			if all := many.Unwrap(); len(all) > 0 {
				err = all[len(all)-1]
				continue
			}
		}
		err = errors.Unwrap(err)
	}
	flush()
	for i := range e.Frames {
		if f := &e.Frames[i]; e.isFrameShown(i) {
			f.Source = src.sourceLine(f.Pos.Filename(), f.Pos.Line)
		}
	}
}

// extendsStack reports whether b is a deeper stack of the same thread as a.
func extendsStack(b, a starlark.CallStack) bool {
	if len(b) < len(a) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// innermostMessage is the innermost text: without "cannot load x.star: " before it, since the
// frames say so already.
func innermostMessage(err error) string {
	msg := err.Error()
	for err != nil {
		if ev, ok := err.(*starlark.EvalError); ok && strings.HasPrefix(msg, "cannot load ") && strings.HasSuffix(msg, ev.Msg) {
			msg = ev.Msg
		}
		err = errors.Unwrap(err)
	}
	return msg
}

func (s *Sources) newFrame(pos syntax.Position, fn string) errorFrame {
	return errorFrame{Pos: pos, Func: fn, Source: s.sourceLine(pos.Filename(), pos.Line)}
}

var (
	noAttr    = pattern.Lazy(`^(\S+) has no \.(\w+) field or method(?: \(did you mean \.(\w+)\?\))?$`)
	otherHint = pattern.Lazy(`\(did you mean (\w+)\?\)$`)
	noIndex   = pattern.Lazy(`^unhandled index operation (\w+)\[\w+\]$`)
	noElement = pattern.Lazy(`^(?:(\w+) value is not iterable|len: value of type (\w+) has no len)$`)
	noSetting = pattern.Lazy(`^can't assign to \.\w+ field of (\w+)$`)
	termOrder = pattern.Lazy(`^(term (<|<=|>|>=) \w+|\w+ (<|<=|>|>=) term) not implemented$`)
	undefined = pattern.Lazy(`^undefined: (\w+)(?: \(did you mean (\w+)\?\))?$`)
)

// elementsOf says where to find the elements of values that are not lists.
var elementsOf = map[string]string{
	"case":   "its parts are lists: case.asserts, case.commands(), case.constants, case.find(op = \"ite\")",
	"corpus": "a seed is seeds.pick(rng), or seeds.next(rng) for each in turn",
	"term":   "its arguments are term.args, all terms below it term.find()",
	"run":    "an oracle gets a list of runs: for run in runs",
}

// stackOverflow is the interpreter's message about too many nested calls; it has no error type of its own.
const stackOverflow = "Starlark stack overflow"

// endlessCalls says which functions call each other without end: those of the innermost calls.
func (e *ScriptError) endlessCalls() string {
	var names []string
	times := map[string]int{}
	for _, f := range e.Frames[max(0, len(e.Frames)-tailFrames):] {
		times[f.Func] += 1 + f.Repeat
		if times[f.Func] > 1 && !slices.Contains(names, f.Func) { // else it called the first of them
			names = append(names, f.Func)
		}
	}
	const calls = "without end: about 100,000 calls are inside each other"
	if len(names) == 1 {
		return names[0] + " calls itself " + calls
	}
	return strings.Join(names, " and ") + " call each other " + calls
}

// runtimeHint gives the language's own messages the form of ours and adds what to do.
func runtimeHint(msg string) string {
	if m := noAttr().FindStringSubmatch(msg); m != nil {
		msg = (&registry.NoAttrError{Type: m[1], Name: m[2], Hint: m[3]}).Error()
	}
	msg = otherHint().ReplaceAllString(msg, "(did you mean '$1'?)")
	// The interpreter has no error types for these, so only their texts identify them. Tests compare the texts with the
	// version in use.
	switch {
	case strings.HasPrefix(msg, "unknown binary op") && strings.Contains(msg, "NoneType"):
		return msg + " (a function without return gives None)"
	case strings.HasPrefix(msg, "NoneType has no field or method"):
		return msg + "; it is None: rng.pick gives None where there is nothing to pick, a function without return gives None"
	case strings.HasPrefix(msg, "tuple has no field or method 'append'"):
		return msg + "; tuples do not change: list(x) is a list of the same elements, and case.with_asserts(list(case.asserts) + [t]) has one assertion more"
	case termOrder().MatchString(msg):
		return "terms have no order: write smt.lt(x, y), smt.le, smt.gt or smt.ge; for bit vectors smt.bvult or smt.bvslt and their kin, for floating point smt.fp_lt, for strings smt.str_lt"
	case strings.HasPrefix(msg, "local variable") && strings.HasSuffix(msg, "referenced before assignment"):
		return msg + "; a name that a function assigns is the function's own, also where a global has that name: globals do not change"
	case strings.Contains(msg, "frozen list") || strings.Contains(msg, "frozen hash table") || strings.Contains(msg, "frozen dict"):
		return msg + "; what the top level of a file makes does not change while cases are made, so that they do not depend on each other: make a new list or dict, such as old + [x]"
	case strings.HasPrefix(msg, "unknown binary op: string + ") || strings.HasSuffix(msg, " + string"):
		return msg + `; text of a value is str(x), or "%s" % x`
	case msg == "string value is not iterable":
		return msg + "; its characters are text.elems()"
	case noIndex().MatchString(msg):
		return withHint("a "+noIndex().FindStringSubmatch(msg)[1]+" has no elements with an index", elementsOf[noIndex().FindStringSubmatch(msg)[1]])
	case noElement().MatchString(msg):
		m := noElement().FindStringSubmatch(msg)
		return withHint(msg, elementsOf[m[1]+m[2]])
	case noSetting().MatchString(msg):
		if noSetting().FindStringSubmatch(msg)[1] == "case" {
			return msg + "; cases do not change: case.with_asserts([...]) and case.replace(old, new) return another one"
		}
		return msg
	case strings.HasPrefix(msg, "load: name * not found"):
		return "load: * loads nothing; name what you need, each in quotes"
	case strings.HasPrefix(msg, "shift count too large"):
		return msg + "; pow2(n) gives 2 to the power n"
	case strings.HasSuffix(msg, "referenced before assignment") && strings.HasPrefix(msg, "global variable"):
		return msg + " (the call comes before the definition)"
	}
	return msg
}

// withHint adds what to do, if there is something to say.
func withHint(msg, hint string) string {
	if hint == "" {
		return msg
	}
	return msg + "; " + hint
}

// ofPython says what to use instead of names that Python has.
var ofPython = map[string]string{
	"open": "files are read by smt.read and smt.read_model, seeds by corpus.files", "random": "all randomness comes from rng: rng.pick(list), rng.int(0, 9), rng.float()",
	"sum": "there is no sum; add in a loop", "time": "there is no clock, so that a case can be made again; run.cpu is the time of a run", "os": "campaign files do not see the system",
	"math": "ints are exact and have no limit; for powers of two there is pow2(n)", "isinstance": `type(x) == "term" asks for a type`, "map": "write a comprehension: [f(x) for x in list]",
	"filter": "write a comprehension: [x for x in list if f(x)]", "input": "setting(name, default) is set by --set name=value", "lambda": "write lambda x: ...",
	"sat": `answers are texts: run.answer == "sat"`, "unsat": `answers are texts: run.answer == "unsat"`, "unknown": `answers are texts: run.answer == "unknown"`,
	"null":      "write None",
	"Exception": "there are no exceptions; use fail(...), or skip(...) for a case that cannot be made",
}

// nameHint explains an error of the resolver; it knows our names and the library's.
func (s *Sources) nameHint(msg string) string {
	m := undefined().FindStringSubmatch(msg)
	if m == nil {
		switch {
		case strings.HasPrefix(msg, "this Starlark dialect does not support while"):
			return "there is no while; use: for _ in range(n), and break"
		case strings.HasPrefix(msg, "cannot reassign global"):
			return msg + "; globals are set once, so that cases do not depend on each other"
		}
		return msg
	}
	msg = "undefined: " + m[1]
	if from := s.modulesExporting(m[1]); len(from) > 0 {
		return fmt.Sprintf("%s (it is in the library: load(%q, %q))", msg, from[0], m[1])
	}
	if instead := ofPython[m[1]]; instead != "" {
		return msg + " (" + instead + ")"
	}
	hint := m[2]
	if hint == "" {
		hint = spelling.Nearest(m[1], append(s.reg.Predeclared().Keys(), starlark.Universe.Keys()...))
	}
	if hint != "" {
		return fmt.Sprintf("%s (did you mean '%s'?)", msg, hint)
	}
	return msg
}

// grammarHints explain Python syntax that Starlark lacks. Each applies to lines that match a pattern.
var grammarHints = []struct {
	line func() *regexp.Regexp
	hint string
}{
	{pattern.Lazy(`^\s*(import|from)\s`), `modules are loaded: load("@std//storm.star", "storm")`},
	{pattern.Lazy(`^\s*class\s`), "there are no classes; use struct(...) and functions"},
	{pattern.Lazy(`^\s*(try|except|raise|finally)\b`), "there are no exceptions; use fail(...), or skip(...) for a case that cannot be made"},
	{pattern.Lazy(`^\s*(global|nonlocal)\s`), "globals are set once; return values instead"},
	{pattern.Lazy(`^\s*with\s`), "there is no with"},
	{pattern.Lazy(`^\s*(yield\b|.*=\s*yield\b)`), "there are no generators; return a list"},
	{pattern.Lazy(`^\s*assert\s`), "use expect(condition, message)"},
	{pattern.Lazy(`^\s*while\b`), "there is no while; use: for _ in range(n), and break"},
	{pattern.Lazy(`\bis\s+(not\s+)?(None|True|False)\b`), "there is no is; use == or !="},
	{pattern.Lazy(`\*\*\s*[\w(]`), "there is no power operator; pow2(n) gives 2 to the power n"},
	{pattern.Lazy(`\bf["']`), `there are no f-strings; use "%s" % x or "{}".format(x)`},
	{pattern.Lazy(`^\s*else\s*:`), "a for loop has no else: set a variable in the loop and test it after the loop; the else of an if is indented like the if"},
	{pattern.Lazy(`\bsmt\.(and|or|not|is|in|if|for|lambda)\b`), "a function whose name is a word of Python has a _ at its end: smt.not_(x)"},
	{pattern.Lazy(`:=`), "there is no :=; assign in a line of its own"},
	{pattern.Lazy(`->|^\s*def\s+\w+\([^()]*\w\s*:`), "there are no annotations of types; a comment can say them: # type: (Case, Rng) -> Case"},
	{pattern.Lazy(`^\s*@\w`), "there are no decorators; call the function: f = decorate(f)"},
	{pattern.Lazy(`<>`), "write !="},
	{pattern.Lazy(`\w\s*(\+\+|--)\s*(#.*)?$`), "write x += 1"},
	{pattern.Lazy(`^\s*print\s+[^\s(=]`), "print is a function: print(x)"},
	{pattern.Lazy(`^\s*del\s`), "there is no del; what a dict has for a key is taken out by d.pop(key)"},
	{pattern.Lazy(`^\s*\w+\s*:\s*\w+(\[.*\])?\s*=`), "there are no annotations of types"},
	{pattern.Lazy(`\b\w+\(\s*[^()\[\]]+\s+for\s+\w`), "there are no generators; write a list: any([f(x) for x in list])"},
	{pattern.Lazy(`=\s*\{[^:{}]+[,}]`), "there are no sets; a list or the keys of a dict serve as one"},
	{pattern.Lazy(`^\s*load\(\s*"[^"]*"\s*\)`), `name what is loaded: load("@std//storm.star", "storm")`},
}

// AtLineEnd moves an error about a line that ends too early to the end of that line: the parser reports it at the
// beginning of the next line.
func AtLineEnd(text string, err syntax.Error) syntax.Error {
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(err.Msg, "got newline") || err.Pos.Col != 1 || err.Pos.Line < 2 || int(err.Pos.Line) > len(lines) {
		return err
	}
	err.Pos.Line--
	err.Pos.Col = int32(utf8.RuneCountInString(lines[err.Pos.Line-1])) + 1
	return err
}

// GrammarMessage is an error of the grammar in a text, with what to write instead.
func GrammarMessage(text string, err syntax.Error) string {
	line := ""
	if lines := strings.Split(text, "\n"); err.Pos.Line >= 1 && int(err.Pos.Line) <= len(lines) {
		line = lines[err.Pos.Line-1]
	}
	msg := grammarHint(err.Msg, line)
	if strings.HasSuffix(msg, ", want indent") {
		msg += "; the lines of a function, a loop or an if are indented"
	}
	if sign, pos := unclosedBracket(text, err.Pos); sign != 0 {
		msg += fmt.Sprintf("; the %c at %s:%d:%d is not closed", sign, err.Pos.Filename(), pos.Line, pos.Col)
	}
	return msg
}

func grammarHint(msg, line string) string {
	for _, h := range grammarHints {
		if h.line().MatchString(line) {
			return msg + " (" + h.hint + ")"
		}
	}
	return msg
}
