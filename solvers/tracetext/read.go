package tracetext

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/solvers"
)

// Read reads the text of a trace into an arena; nil means a new one. The error names the line and what is wrong.
// A return line that is missing at the end, as a death leaves it, is no error.
func Read(text []byte, a *smt.Arena) (*solvers.Trace, error) {
	if a == nil {
		a = smt.NewArena()
	}
	r := &reader{a: a, t: &solvers.Trace{Arena: a}, scope: smtlib.NewScope(a), funs: map[string]smt.Symbol{},
		Arguments: Arguments{Sorts: map[string]smt.Sort{}}}
	defer r.scope.Close()
	n := bytes.Count(text, []byte("\n")) + 1
	r.t.Calls = make([]solvers.Call, 0, n/2+1)
	r.Terms = make(map[string]smt.Term, n/2)
	lines := NewLines(text)
	for line, returned := range lines.All() {
		if line == head {
			continue
		}
		if note, ok := strings.CutPrefix(line, "#"); ok {
			r.t.Notes = append(r.t.Notes, strings.TrimSpace(note))
			continue
		}
		r.ids = splitTokens(r.ids[:0], returned)
		if err := r.readLine(line, r.ids); err != nil {
			return nil, fmt.Errorf("trace, line %d: %w", lines.Number, err)
		}
	}
	return r.t, nil
}

type reader struct {
	Arguments
	a     *smt.Arena
	t     *solvers.Trace
	scope *smtlib.Scope
	funs  map[string]smt.Symbol
	words []string // of the line
	ids   []string // that it returns
}

func (r *reader) readLine(line string, ids []string) error {
	r.words = splitTokens(r.words[:0], line)
	words := r.words
	r.t.Calls = append(r.t.Calls, solvers.Call{})
	last := len(r.t.Calls) - 1
	c := &r.t.Calls[last]
	var err error
	if c.Seed, err = strconv.ParseUint(words[0], 16, 64); err != nil {
		return fmt.Errorf("%q is no seed: want hexadecimal digits, then the action", words[0])
	}
	words = words[1:]
	for len(words) > 0 {
		if n, ok := strings.CutPrefix(words[0], "@"); ok {
			if c.Instance, err = strconv.Atoi(n); err != nil {
				return fmt.Errorf("%q is no number of a solver", words[0])
			}
		} else if name, ok := strings.CutPrefix(words[0], "?"); ok {
			if c.When, ok = smtlib.ParseAnswer(name); !ok {
				return fmt.Errorf("%q is no answer; want ?sat, ?unsat or ?unknown", words[0])
			}
		} else if words[0] == sameMark {
			c.Same = true
		} else if name, ok := strings.CutPrefix(words[0], "="); ok {
			if c.Expect, ok = smtlib.ParseAnswer(name); !ok {
				return fmt.Errorf("%q is no answer; want =sat, =unsat or =same", words[0])
			}
		} else {
			break
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return fmt.Errorf("no action")
	}
	r.Words = words[1:]
	if err := r.readAction(words[0], c, ids); err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	if c.Kind == 0 { // a line that only says what an id is
		r.t.Calls = r.t.Calls[:last]
	}
	return nil
}

func (r *reader) readQuoted(what string) (string, error) {
	w, err := r.Word(what)
	if err != nil {
		return "", err
	}
	s, err := strconv.Unquote(w)
	if err != nil {
		return "", fmt.Errorf("%s: %s is not in quotes", what, w)
	}
	return s, nil
}

// readAction reads an action into a call.
func (r *reader) readAction(name string, c *solvers.Call, ids []string) (err error) {
	switch name {
	case "new":
		c.Kind = solvers.CallNew
	case "delete":
		c.Kind = solvers.CallDelete
	case "custom":
		c.Kind = solvers.CallCustom
		if c.Name, err = r.readQuoted("the name"); err == nil {
			c.Args, err = r.List()
		}
	case "transfer":
		c.Kind = solvers.CallTransfer
		if c.From, err = r.Number("the number of a solver"); err == nil {
			c.Args, err = r.List()
		}
	case "mk-sort":
		c.Kind = solvers.CallMakeSort
		var text string
		if text, err = r.readQuoted("the sort"); err != nil {
			return err
		}
		// The name that the trace gives the sort is not the sort: both ways of writing it stay usable in later calls.
		if c.Sort, err = r.scope.Sort(text); err == nil {
			err = r.assignReturned(ids, 's', func(id string, _ int) { r.Sorts[id] = c.Sort })
		}
	case "mk-var", "mk-value", "mk-term":
		c.Kind = solvers.CallMakeTerm
		if c.Term, err = r.readTerm(name); err == nil {
			err = r.assignReturned(ids, 't', func(id string, _ int) { r.Terms[id] = c.Term })
		}
	case "named":
		// No call of a solver: later calls name the term so.
		c.Kind = 0
		var text string
		if text, err = r.readQuoted("the name"); err != nil {
			return err
		}
		t, err := r.Term()
		if err != nil {
			return err
		}
		f := r.a.Name(text, t)
		return r.assignReturned(ids, 'f', func(id string, _ int) { r.funs[id] = f })
	default:
		c.Kind = solvers.CallCommand
		err = r.readCommand(name, c, ids)
	}
	return err
}

// assignReturned assigns ids to the sorts or terms that a call made. The last call of a trace may have none.
func (r *reader) assignReturned(ids []string, letter byte, set func(id string, i int)) error {
	for i, id := range ids {
		if id == "" || id[0] != letter {
			return fmt.Errorf("returns %q, want an id that begins with %c", id, letter)
		}
		set(id, i)
	}
	return nil
}

// readTerm reads a term.
func (r *reader) readTerm(action string) (smt.Term, error) {
	if action == "mk-term" {
		return r.readApplication()
	}
	s, err := r.Sort()
	if err != nil {
		return 0, err
	}
	text, err := r.readQuoted("the text")
	if err != nil {
		return 0, err
	}
	if action == "mk-var" {
		return r.a.Var(text, s), nil
	}
	t, err := r.scope.Term(text)
	if err != nil {
		return 0, err
	}
	if got := r.a.Sort(t); got != s {
		if s == smt.SortReal && got == smt.SortInt {
			if n, ok := r.a.IntOf(t); ok {
				return r.a.RealVal(new(big.Rat).SetInt(n)), nil
			}
		}
		return 0, fmt.Errorf("%s is of sort %s, not %s", text, r.a.SortString(got), r.a.SortString(s))
	}
	return t, nil
}

func (r *reader) readApplication() (smt.Term, error) {
	head, err := r.Word("the operator")
	if err != nil {
		return 0, err
	}
	var sort smt.Sort
	if len(r.Words) > 0 && r.Words[0] == "-" {
		r.Words = r.Words[1:]
	} else if sort, err = r.Sort(); err != nil {
		return 0, err
	}
	args, err := r.List()
	if err != nil {
		return 0, err
	}
	idx, err := r.readIndices()
	if err != nil {
		return 0, err
	}
	name, of, _ := strings.Cut(head, ":")
	if name == "opaque" {
		text, err := strconv.Unquote(of)
		if err != nil {
			return 0, fmt.Errorf("the head %s is not in quotes", of)
		}
		return r.a.Opaque(text, idx, sort, args...), nil
	}
	if f, ok := r.funs[of]; ok {
		return r.applyFun(name, f, sort, args)
	}
	return r.applyOp(head, sort, idx, args)
}

func (r *reader) readIndices() ([]smt.Index, error) {
	if len(r.Words) == 0 {
		return nil, nil
	}
	n, err := r.Number("the number of indices")
	if err != nil {
		return nil, err
	}
	var idx []smt.Index
	for range n {
		w, err := r.Word("an index")
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(w, `"`) {
			text, err := strconv.Unquote(w)
			if err != nil {
				return nil, fmt.Errorf("index %s: %w", w, err)
			}
			idx = append(idx, r.a.NameIndex(text))
			continue
		}
		v, ok := new(big.Int).SetString(w, 10)
		if !ok || v.Sign() < 0 {
			return nil, fmt.Errorf("index %q is no number", w)
		}
		idx = append(idx, r.a.BigIndex(v))
	}
	return idx, nil
}

func (r *reader) applyFun(name string, f smt.Symbol, sort smt.Sort, args []smt.Term) (smt.Term, error) {
	switch {
	case name == "is" && len(args) == 1:
		return r.a.Is(f, args[0])
	case name == "update" && len(args) == 2:
		return r.a.Update(f, args[0], args[1])
	case name == "function" && len(args) == 0:
		return r.a.Function(f, sort)
	case name == "map" && len(args) > 0:
		return r.a.MapArrays(f, args...)
	case name == "case" && len(args) > 0:
		return r.a.Case(f, args[:len(args)-1], args[len(args)-1])
	case sort != 0 && r.a.SymbolInfo(f).Qualified:
		return r.a.ApplyAs(f, sort, args...)
	}
	return r.a.Apply(f, args...)
}

func (r *reader) applyOp(head string, sort smt.Sort, idx []smt.Index, args []smt.Term) (smt.Term, error) {
	n := len(args)
	switch {
	case n > 0 && (head == "forall" || head == "exists"):
		op := smt.OpForall
		if head == "exists" {
			op = smt.OpExists
		}
		return r.a.Quant(op, args[:n-1], args[n-1])
	case n > 0 && (head == "lambda" || head == "lambda-array"):
		return r.a.Lambda(args[:n-1], args[n-1], head == "lambda-array")
	case n == 2 && head == "@":
		return r.a.HOApply(args[0], args[1])
	case n > 0 && head == "match":
		return r.a.Match(args[0], args[1:])
	case n > 0 && head == "case":
		return r.a.Case(0, args[:n-1], args[n-1])
	case n > 0 && head == "!":
		name, _ := r.a.IndexName(idx[0])
		var attrs []smt.Attr
		rest := args[1:]
		// As Annotate packs them into the index: keyword, value and number of terms of each.
		for _, part := range strings.Split(strings.TrimSuffix(name, "\x02"), "\x02") {
			f := strings.Split(part, "\x01")
			if len(f) != 3 {
				return 0, fmt.Errorf("the attributes %q cannot be read", name)
			}
			k, err := strconv.Atoi(f[2])
			if err != nil || k > len(rest) {
				return 0, fmt.Errorf("the attributes %q cannot be read", name)
			}
			attrs = append(attrs, smt.Attr{Keyword: f[0], Value: f[1], Terms: rest[:k:k]})
			rest = rest[k:]
		}
		return r.a.Annotate(args[0], attrs), nil
	}
	op, ok := smt.LookupOp(head)
	if !ok {
		i := slices.IndexFunc(smt.Ops(), func(x *smt.OpInfo) bool { return x.Name == head })
		if i < 0 {
			return 0, fmt.Errorf("there is no operator %q", head)
		}
		op = smt.Ops()[i].Op
	}
	if op.Info().Qualified {
		return r.a.AppAs(op, sort, idx, args...)
	}
	return r.a.App(op, idx, args...)
}

// commandsByName are the actions that are commands of SMT-LIB without arguments or with the plain ones below.
var commandsByName = func() map[string]smtlib.Kind {
	m := map[string]smtlib.Kind{"assert-formula": smtlib.CmdAssert}
	for k := smtlib.CmdSetLogic; k <= smtlib.CmdSimplify; k++ {
		m[k.String()] = k
	}
	return m
}()

func (r *reader) readCommand(name string, c *solvers.Call, ids []string) (err error) {
	switch name {
	case "declare":
		return r.declareText(c, ids)
	case "mk-const", "declare-fun", "mk-fun":
		return r.readSymbol(name, c, ids)
	case "other":
		c.Command.Kind = smtlib.CmdOther
		if c.Command.Name, err = r.readQuoted("the name"); err != nil {
			return err
		}
		if c.Command.Text, err = r.readQuoted("the command"); err != nil || len(r.Words) == 0 {
			return err
		}
		c.Command.Terms, err = r.List()
		return err
	}
	k, ok := commandsByName[name]
	// Declarations have forms of their own, above.
	if !ok || k.IsDeclaration() {
		return fmt.Errorf("there is no such action")
	}
	cmd := &c.Command
	cmd.Kind = k
	switch k {
	case smtlib.CmdAssert, smtlib.CmdSimplify:
		var t smt.Term
		if t, err = r.Term(); err != nil {
			return err
		}
		cmd.Terms = []smt.Term{t}
		cmd.Named = scope.NamesIn(r.a, t)
		if k == smtlib.CmdSimplify && len(r.Words) > 0 {
			cmd.Text, err = r.readQuoted("the options")
		}
	case smtlib.CmdCheckSatAssuming, smtlib.CmdGetValue:
		cmd.Terms, err = r.List()
	case smtlib.CmdPush, smtlib.CmdPop:
		cmd.N, err = r.Number("the number of levels")
	case smtlib.CmdSetOption, smtlib.CmdSetInfo:
		if cmd.Name, err = r.readQuoted("the name"); err == nil {
			cmd.Text, err = r.readQuoted("the value")
		}
	case smtlib.CmdGetInfo, smtlib.CmdGetOption:
		cmd.Name, err = r.readQuoted("the name")
	case smtlib.CmdSetLogic, smtlib.CmdEcho, smtlib.CmdCheckSatUsing:
		cmd.Text, err = r.readQuoted("the text")
	}
	return err
}

// declareText reads declarations that are given as text, and their functions' ids.
func (r *reader) declareText(c *solvers.Call, ids []string) error {
	text, err := r.readQuoted("the declaration")
	if err != nil {
		return err
	}
	cmds, err := r.scope.Commands(text)
	if err != nil {
		return err
	}
	if len(cmds) != 1 {
		return fmt.Errorf("want one declaration, got %d", len(cmds))
	}
	c.Command = cmds[0]
	makes := slices.Clone(c.Command.Symbols)
	if c.Command.Kind == smtlib.CmdDeclareDatatype || c.Command.Kind == smtlib.CmdDeclareDatatypes {
		for _, s := range c.Command.Sorts {
			for _, k := range r.a.Datatype(s).Constructors {
				makes = append(append(makes, k.Symbol), k.Selectors...)
			}
		}
	}
	return r.assignReturned(ids, 'f', func(id string, i int) {
		if i < len(makes) {
			r.funs[id] = makes[i]
		}
	})
}

// readSymbol reads a declaration or definition of one function.
func (r *reader) readSymbol(action string, c *solvers.Call, ids []string) error {
	cmd := &c.Command
	var name string
	var err error
	letter := byte('f')
	var f smt.Symbol
	switch action {
	case "mk-const":
		s, err := r.Sort()
		if err != nil {
			return err
		}
		if name, err = r.readQuoted("the name"); err != nil {
			return err
		}
		// A constant is returned as a term; what has parameters is returned as a function.
		f, letter = r.a.Declare(name, nil, s), 't'
		cmd.Kind = smtlib.CmdDeclareConst
	case "declare-fun":
		if name, err = r.readQuoted("the name"); err != nil {
			return err
		}
		n, err := r.Number("the number of parameters")
		if err != nil {
			return err
		}
		var sorts []smt.Sort
		for range n + 1 {
			s, err := r.Sort()
			if err != nil {
				return err
			}
			sorts = append(sorts, s)
		}
		f = r.a.Declare(name, sorts[:n], sorts[n])
		cmd.Kind = smtlib.CmdDeclareFun
	default:
		if name, err = r.readQuoted("the name"); err != nil {
			return err
		}
		vars, err := r.List()
		if err != nil {
			return err
		}
		for _, v := range vars {
			if r.a.Op(v) != smt.OpVar {
				return fmt.Errorf("a parameter of a function must be a variable, made by mk-var")
			}
		}
		body, err := r.Term()
		if err != nil {
			return err
		}
		if f, err = r.a.Define(name, vars, r.a.Sort(body), body); err != nil {
			return err
		}
		cmd.Kind = smtlib.CmdDefineFun
	}
	cmd.Symbols = []smt.Symbol{f}
	r.scope.BindSymbol(f)
	return r.assignReturned(ids, letter, func(id string, _ int) {
		if letter == 't' {
			r.Terms[id] = r.a.Const(f)
		} else {
			r.funs[id] = f
		}
	})
}
