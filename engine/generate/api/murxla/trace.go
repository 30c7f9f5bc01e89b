package murxla

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

var firstLine = pattern.Lazy(`^(set-murxla-options\b|set-seed\b|(\d+ +)?(new|set-logic|set-option|mk-sort)\b)`)

// isAction are names of actions that a line without a seed may begin with.
var isAction = pattern.Lazy(`^([a-z0-9]+-[a-z-]+|term_get_sort|new|delete|push|pop|reset)$`)

// IsTrace reports whether a text is one of Murxla's traces: its first line that is no comment sets Murxla's options or
// is a call, with a decimal seed or, as early releases write them, without.
func IsTrace(text []byte) bool {
	if tracetext.IsTrace(text) {
		return false
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return firstLine().Match(line)
		}
	}
	return false
}

// Read reads a trace of Murxla into an arena; nil means a new one. Calls that only one solver's wrapper has are left
// out with a note, and so are choices of the wrapper that are not in the trace. The error names the line and the
// mistake. A missing return line at the end, as after a crash, is no error.
func Read(text []byte, a *smt.Arena) (*solvers.Trace, error) {
	if a == nil {
		a = smt.NewArena()
	}
	r := &reader{a: a, t: &solvers.Trace{Arena: a, Notes: []string{"from a trace of Murxla"}},
		funs: map[string]smt.Symbol{}, names: map[string]int{},
		foreign: map[string]string{}}
	r.Arguments = tracetext.Arguments{Sorts: map[string]smt.Sort{}, Terms: map[string]smt.Term{}, Known: r.describeForeign}
	lines := tracetext.NewLines(text)
	for line, returned := range lines.All() {
		if note, ok := strings.CutPrefix(line, "#"); ok {
			r.t.Notes = append(r.t.Notes, strings.TrimSpace(note))
			continue
		}
		if options, ok := strings.CutPrefix(line, "set-murxla-options"); ok {
			r.t.Notes = append(r.t.Notes, "options of Murxla:"+options)
			continue
		}
		if strings.HasPrefix(line, "set-seed ") { // the state of Murxla's generator, which early releases write
			continue
		}
		r.ids = strings.Fields(returned)
		r.at = lines.Number
		if err := r.readLine(line); err != nil {
			return nil, fmt.Errorf("trace of Murxla, line %d: %w", r.at, err)
		}
	}
	return r.t, nil
}

// reader reads a trace line by line. It keeps the results of the calls by their numbers.
type reader struct {
	tracetext.Arguments
	a       *smt.Arena
	t       *solvers.Trace
	funs    map[string]smt.Symbol // functions that were declared or defined; they are terms, too
	names   map[string]int        // how often a name was declared
	foreign map[string]string     // results of actions whose value is unknown: the names of the actions, by id
	at      int                   // line
	ids     []string              // ids that the call returns
	seed    uint64
}

// splitTokens splits a line at blanks; a quoted text is one token, with its quotes.
func splitTokens(line string) (out []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		end := strings.IndexAny(line, " \t")
		if line[0] == '"' {
			end = len(line)
			quote := `"`
			if strings.HasPrefix(line, `"|`) { // there may be quotes between the bars
				quote = `|"`
			}
			if i := strings.Index(line[len(quote):], quote); i >= 0 {
				end = i + 2*len(quote)
			}
		}
		if end < 0 {
			end = len(line)
		}
		out = append(out, line[:end])
		line = line[end:]
	}
	return out
}

func (r *reader) readLine(line string) (err error) {
	words := splitTokens(line)
	if r.seed, err = strconv.ParseUint(words[0], 10, 64); err == nil {
		words = words[1:]
	} else if !isAction().MatchString(words[0]) { // early releases write lines without a seed
		return fmt.Errorf("want a seed, an action and its arguments, got %q", line)
	}
	if len(words) == 0 {
		return fmt.Errorf("want an action and its arguments behind the seed, got %q", line)
	}
	r.Words = words[1:]
	if err := r.readAction(words[0]); err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	return nil
}

func (r *reader) addCall(c solvers.Call) {
	c.Seed = r.seed
	r.t.Calls = append(r.t.Calls, c)
}

func (r *reader) addCommand(c smtlib.Command) { r.addCall(solvers.CommandCall(c)) }

// plain are the actions without arguments.
var plain = map[string]smtlib.Kind{
	"check-sat": smtlib.CmdCheckSat, "get-unsat-assumptions": smtlib.CmdGetUnsatAssumptions,
	"get-unsat-core": smtlib.CmdGetUnsatCore,
	"print-model":    smtlib.CmdGetModel, "reset": smtlib.CmdReset, "reset-assertions": smtlib.CmdResetAssertions,
	"get-assertions": smtlib.CmdGetAssertions,
}

func (r *reader) readAction(name string) error {
	if k, ok := plain[name]; ok {
		r.addCommand(smtlib.Command{Kind: k})
		return nil
	}
	switch name {
	case "new":
		r.addCall(solvers.Call{Kind: solvers.CallNew})
	case "delete":
		r.addCall(solvers.Call{Kind: solvers.CallDelete})
	case "set-logic":
		w, err := r.Word("the logic")
		r.addCommand(smtlib.Command{Kind: smtlib.CmdSetLogic, Text: w})
		return err
	case "set-option":
		w, err := r.Word("the option")
		r.addCommand(smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":" + w, Text: strings.Join(r.Words, " ")})
		return err
	case "mk-sort":
		return sortReader{r}.mkSort()
	case "instantiate-sort":
		return sortReader{r}.readInstantiation()
	case "mk-const", "mk-var":
		return termReader{r}.mkConst(name)
	case "mk-value":
		return termReader{r}.mkValue()
	case "mk-special-value":
		return termReader{r}.mkSpecial()
	case "mk-term":
		return termReader{r}.mkTerm()
	case "mk-fun":
		return termReader{r}.mkFun()
	case "term-get-children":
		t, err := r.Term()
		if err == nil && r.a.NumArgs(t) > 0 {
			r.addCall(solvers.Call{Kind: solvers.CallMakeTerm, Term: t})
		}
		return err
	case "term-get-sort", "term_get_sort", "get-sort":
		// Early releases trace the sorts of terms so; later ones with the terms.
		t, err := r.Term()
		if err == nil && len(r.ids) > 0 {
			r.Sorts[r.ids[0]] = r.a.Sort(t)
		}
		return err
	case "assert-formula":
		t, err := r.Term()
		r.addCommand(smtlib.AssertCommand(t))
		return err
	case "check-sat-assuming", "get-value":
		ts, err := r.List()
		k := smtlib.CmdCheckSatAssuming
		if name == "get-value" {
			k = smtlib.CmdGetValue
		}
		r.addCommand(smtlib.Command{Kind: k, Terms: ts})
		r.returnUnknown(name) // early releases go on with the values
		return err
	case "push", "pop":
		n, err := r.Number("the number of levels")
		k := smtlib.CmdPush
		if name == "pop" {
			k = smtlib.CmdPop
		}
		r.addCommand(smtlib.Command{Kind: k, N: n})
		return err
	default:
		if !strings.ContainsRune(name, '-') {
			return fmt.Errorf("there is no such action")
		}
		// Of one solver's wrapper, such as cvc5-block-model.
		left := strings.TrimSpace(name + " " + strings.Join(r.Words, " "))
		if strings.HasSuffix(name, "-simplify") && len(r.ids) == 1 {
			if t, err := r.Term(); err == nil {
				r.made(t, false)
				r.addNote("left out: %s; what it returned is taken to be the term itself", left)
				return nil
			}
		}
		r.addNote("left out: %s", left)
		r.returnUnknown(name)
	}
	return nil
}

// returnUnknown notes that the trace lacks the value that the action returned; a call that uses it gives an error that
// says so.
func (r *reader) returnUnknown(action string) {
	for _, id := range r.ids {
		r.foreign[id] = action
	}
}

// addNote adds a note about the present line.
func (r *reader) addNote(format string, args ...any) {
	r.t.Notes = append(r.t.Notes, fmt.Sprintf("line %d: ", r.at)+fmt.Sprintf(format, args...))
}

func (r *reader) readQuoted(what string) (string, error) {
	w, err := r.Word(what)
	if err == nil && (len(w) < 2 || w[0] != '"' || w[len(w)-1] != '"') {
		err = fmt.Errorf("%s: %s is not in quotes", what, w)
	}
	if err != nil {
		return "", err
	}
	return w[1 : len(w)-1], nil
}

// describeForeign tells which action has returned something that no trace tells.
func (r *reader) describeForeign(id string) string {
	if action := r.foreign[id]; action != "" {
		return "what " + action + " returned, which is not known here"
	}
	return ""
}

// readQuotedList reads a number of quoted texts.
func (r *reader) readQuotedList() ([]string, error) {
	n, err := r.Number("the number of names")
	if err != nil {
		return nil, err
	}
	var out []string
	for range n {
		s, err := r.readQuoted("a name")
		if err != nil {
			return nil, err
		}
		out = append(out, symbol(s))
	}
	return out, nil
}

// symbol is a name without bars.
func symbol(s string) string {
	if len(s) > 1 && s[0] == '|' && s[len(s)-1] == '|' {
		return s[1 : len(s)-1]
	}
	return s
}

// fresh makes a name that was not declared before: in Murxla's traces constants may share one.
func (r *reader) fresh(name string) string {
	name = symbol(name)
	if r.names[name]++; r.names[name] > 1 {
		return r.fresh(fmt.Sprintf("%s!%d", name, r.names[name]))
	}
	return name
}

// made notes a term under the first id that begins with t, and its sort under the first that begins with s.
func (r *reader) made(t smt.Term, call bool) {
	if call {
		r.addCall(solvers.Call{Kind: solvers.CallMakeTerm, Term: t})
	}
	for _, id := range r.ids {
		switch id[0] {
		case 't':
			r.Terms[id] = t
		case 's':
			r.Sorts[id] = r.a.Sort(t)
		}
	}
}

// madeSort notes sorts under the ids of the call, in their order.
func (r *reader) madeSort(all ...smt.Sort) {
	for i, s := range all {
		r.addCall(solvers.Call{Kind: solvers.CallMakeSort, Sort: s})
		if i < len(r.ids) {
			r.Sorts[r.ids[i]] = s
		}
	}
}
