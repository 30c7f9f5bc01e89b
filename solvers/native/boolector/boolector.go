package boolector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// boolector is the binding of libboolector (boolector.h, version 3). Its abort callback must not return, so it leaves the
// library by a panic, and the child is not used again. Bool is a bit vector of width 1 to it; functions of no arguments
// are variables.
type boolector struct {
	driver.Base
	btor    driver.Ref
	info    []boolectorOption
	flag    []byte
	assumed []namedRef // assertions that are assumed at each check, so that there are cores
	levels  []int
	// Quantifiers are taken in the only check of a solver, that of one without incremental use, and there are no models then.
	quantifies bool // a quantifier was made
	goesOn     bool // there was a check or a level
}

// noMore refuses what Boolector does not do once it was given quantifiers.
func (b *boolector) noMore(what string) {
	if b.quantifies {
		panic(driver.Unsupported("boolector has no %s beside quantifiers, which it takes in a single check-sat", what))
	}
}

type boolectorOption struct {
	driver.OptionInfo
	number uint32
}

type namedRef struct{ r driver.Ref }

// New returns the binding for a loaded library; an error says what it lacks.
func New(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"boolector_new", "boolector_set_abort", "boolector_first_opt"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libboolector of version 3", l.Path, name)
		}
	}
	b := &boolector{Base: driver.Base{Library: l}, flag: driver.MapMemory(16)}
	l.Call("boolector_set_abort", driver.NewCallback(func(msg uintptr) {
		f := driver.Refuse(solvers.Refusal, strings.TrimSpace(driver.GoString(msg)))
		f.Dead = true
		panic(f)
	}))
	return b, nil
}

func (b *boolector) Twin() driver.API {
	return &boolector{Base: b.Base, info: b.info, flag: driver.MapMemory(16)}
}

func (b *boolector) callC(name string, args ...uintptr) driver.Ref {
	return b.Library.Call(name, args...)
}

func (b *boolector) callForText(name string, args ...uintptr) string {
	return driver.GoString(b.callC(name, args...))
}

func (b *boolector) Version() string {
	x := b.callC("new")
	defer b.callC("delete", x)
	return b.callForText("version", x)
}

func (b *boolector) optionTable() []boolectorOption {
	if b.info != nil {
		return b.info
	}
	x := b.callC("new")
	defer b.callC("delete", x)
	for o := b.callC("first_opt", x); b.callC("has_opt", x, o)&0xff != 0; o = b.callC("next_opt", x, o) {
		number := func(name string) string { return strconv.FormatUint(uint64(uint32(b.callC(name, x, o))), 10) }
		info := driver.OptionInfo{Name: b.callForText("get_opt_lng", x, o), Doc: b.callForText("get_opt_desc", x, o), Kind: "number",
			Min: number("get_opt_min"), Max: number("get_opt_max"), Value: number("get_opt_dflt")}
		if info.Min == "0" && info.Max == "1" {
			info.Kind = "bool"
		}
		b.info = append(b.info, boolectorOption{info, uint32(o)})
	}
	return b.info
}

// Learn asks for the options, which the binding keeps.
func (b *boolector) Learn() { b.optionTable() }

func (b *boolector) Options() (all []driver.OptionInfo) {
	for _, o := range b.optionTable() {
		all = append(all, o.OptionInfo)
	}
	return all
}

func (b *boolector) Open(s *driver.Session) {
	b.optionTable()
	b.btor = b.callC("new")
	b.assumed, b.levels, b.quantifies, b.goesOn = nil, nil, false, false
	b.setOption("incremental", "1")
	b.setOption("auto-cleanup", "1") // objects that are left do not count as a mistake at the end
	if s.Settings.Models {
		b.setOption("model-gen", "1")
	}
	for _, o := range s.Settings.Options {
		if strings.HasPrefix(o.Name, "produce-") {
			continue
		}
		b.setOption(o.Name, o.Value)
	}
	b.flag[0], b.flag[1] = '0', 0
	if atoi := driver.LibcSymbol("atoi"); atoi != 0 && driver.Recording == nil {
		b.callC("set_term", b.btor, atoi, driver.Address(b.flag))
	}
}

// boolectorModes are the words that the program takes for values of options, in the order of the numbers of its library.
var boolectorModes = map[string][]string{
	"beta-reduce": {"none", "fun", "all"}, "fun-eager-lemmas": {"none", "conf", "all"}, "fun-just-heuristic": {"left", "applies", "depth"},
	"fun-dual-prop-qsort": {"just", "asc", "desc"}, "sls-strategy": {"best", "walk", "first", "same", "prop"},
	"prop-path-sel": {"controlling", "essential", "random"},
}

func (b *boolector) setOption(name, value string) {
	switch value {
	case "true":
		value = "1"
	case "false":
		value = "0"
	}
	for _, o := range b.optionTable() {
		if o.Name != name {
			continue
		}
		lo, _ := strconv.ParseUint(o.Min, 10, 32)
		if mode := slices.Index(boolectorModes[name], value); mode >= 0 {
			value = strconv.FormatUint(lo+uint64(mode), 10)
		}
		n, err := strconv.ParseUint(value, 10, 32)
		hi, _ := strconv.ParseUint(o.Max, 10, 32)
		if err != nil || n < lo || n > hi {
			panic(driver.RefuseOption("boolector: option %s takes a number from %s to %s, not %q", name, o.Min, o.Max, value))
		}
		b.callC("set_opt", b.btor, uintptr(o.number), uintptr(n))
		return
	}
	panic(driver.RefuseOption("boolector has no option %s", name))
}

func (b *boolector) SetLate(_ *driver.Session, name, value string) { b.setOption(name, value) }

func (b *boolector) Shut(broken bool) {
	x := b.btor
	b.btor = 0
	if x != 0 && !broken {
		b.callC("release_all", x)
		b.callC("delete", x)
	}
}

func (b *boolector) Sort(s *driver.Session, so smt.Sort) driver.Ref {
	a := s.Arena()
	switch a.SortKind(so) {
	case smt.KindBool:
		return b.callC("bool_sort", b.btor)
	case smt.KindBitVec:
		return b.callC("bitvec_sort", b.btor, uintptr(a.Width(so)))
	case smt.KindArray:
		x := a.SortArgs(so)
		if a.SortKind(x[0]) == smt.KindArray || a.SortKind(x[1]) == smt.KindArray {
			panic(driver.Unsupported("boolector has no arrays of arrays"))
		}
		return b.callC("array_sort", b.btor, s.Sort(x[0]), s.Sort(x[1]))
	}
	panic(b.NoSort(s, so))
}

// isArray reports whether a sort is one of arrays, which are functions to the library.
func isArray(s *driver.Session, so smt.Sort) bool { return s.Arena().SortKind(so) == smt.KindArray }

// cName is the name of a symbol in the library; it must be unique there, which :named and push do not grant.
func (b *boolector) Constant(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	if isArray(s, info.Result) {
		return b.callC("array", b.btor, s.Sort(info.Result), 0)
	}
	return b.callC("var", b.btor, s.Sort(info.Result), 0)
}

func (b *boolector) Function(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	for _, p := range append(info.Params[:len(info.Params):len(info.Params)], info.Result) {
		if isArray(s, p) {
			panic(driver.Unsupported("boolector has no functions over arrays"))
		}
	}
	so := b.callC("fun_sort", b.btor, b.Library.Refs(s.SortList(info.Params)), uintptr(len(info.Params)), s.Sort(info.Result))
	return b.callC("uf", b.btor, so, 0)
}

func (b *boolector) Variable(s *driver.Session, t smt.Term) driver.Ref {
	if isArray(s, s.Arena().Sort(t)) {
		panic(driver.Unsupported("boolector quantifies over bit vectors only"))
	}
	return b.callC("param", b.btor, s.Sort(s.Arena().Sort(t)), 0)
}

func (b *boolector) Binder(s *driver.Session, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
	switch s.Arena().Op(t) {
	case smt.OpForall:
		b.quantifies = true
		return b.callC("forall", b.btor, b.Library.Refs(vars), uintptr(len(vars)), body)
	case smt.OpExists:
		b.quantifies = true
		return b.callC("exists", b.btor, b.Library.Refs(vars), uintptr(len(vars)), body)
	}
	panic(b.NoOp(s, t))
}

func (b *boolector) Apply(_ *driver.Session, _ smt.Term, _ smt.Symbol, fun driver.Ref, args []driver.Ref) driver.Ref {
	return b.callC("apply", b.btor, b.Library.Refs(args), uintptr(len(args)), fun)
}

func (b *boolector) Value(s *driver.Session, t smt.Term) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpTrue:
		return b.callC("true", b.btor)
	case smt.OpFalse:
		return b.callC("false", b.btor)
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		width := a.Width(a.Sort(t))
		so := s.Sort(a.Sort(t))
		switch way := s.Pick(5); {
		case way == 1 && n.Sign() == 0:
			return b.callC("zero", b.btor, so)
		case way == 2 && n.IsUint64() && n.Uint64() == 1:
			return b.callC("one", b.btor, so)
		case way == 1 && n.BitLen() <= 31:
			return b.callC("unsigned_int", b.btor, uintptr(n.Uint64()), so)
		case way == 3:
			return b.callC("constd", b.btor, so, b.Library.Str(n.String()))
		case way == 4:
			return b.callC("consth", b.btor, so, b.Library.Str(n.Text(16)))
		}
		bits := n.Text(2)
		return b.callC("const", b.btor, b.Library.Str(strings.Repeat("0", width-len(bits))+bits))
	}
	panic(b.NoOp(s, t))
}

func (b *boolector) Assert(_ *driver.Session, r driver.Ref, _ string, track bool) {
	if track {
		b.assumed = append(b.assumed, namedRef{r})
		return
	}
	b.callC("assert", b.btor, r)
}

func (b *boolector) Check(_ *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	b.flag[0] = '0'
	if b.goesOn || len(b.assumed) > 0 || len(assumptions) > 0 {
		b.noMore("levels, assumptions and further checks")
	}
	if b.quantifies {
		b.setOption("incremental", "0")
	}
	b.goesOn = true
	for _, x := range b.assumed {
		b.callC("assume", b.btor, x.r)
	}
	for _, r := range assumptions {
		b.callC("assume", b.btor, r)
	}
	switch uint32(b.callC("sat", b.btor)) {
	case 10:
		return smtlib.Sat
	case 20:
		return smtlib.Unsat
	}
	return smtlib.Unknown
}

func (b *boolector) Stop() bool {
	b.flag[0] = '1'
	return true
}

func (b *boolector) Push(n int) {
	b.noMore("levels")
	b.callC("push", b.btor, uintptr(n))
	b.goesOn = true
	for range n {
		b.levels = append(b.levels, len(b.assumed))
	}
}

func (b *boolector) Pop(n int) {
	b.callC("pop", b.btor, uintptr(n))
	k := len(b.levels) - n
	b.assumed, b.levels = b.assumed[:b.levels[k]], b.levels[:k]
}

func (b *boolector) ResetAssertions() {
	panic(driver.Unsupported("boolector has no reset-assertions"))
}

func (b *boolector) Failed(_ *driver.Session, assumptions []driver.Ref) (out []driver.Ref) {
	for _, r := range assumptions {
		if b.callC("failed", b.btor, r)&0xff != 0 {
			out = append(out, r)
		}
	}
	return out
}

func (b *boolector) Core(s *driver.Session) []driver.Ref {
	var all []driver.Ref
	for _, x := range b.assumed {
		all = append(all, x.r)
	}
	return b.Failed(s, all)
}

// bitsValue spells the value of a bit vector or Bool; bits that do not matter come as x and are 0.
func bitsValue(s *driver.Session, so smt.Sort, text string) string {
	text = strings.ReplaceAll(text, "x", "0")
	if so == smt.SortBool {
		if text == "1" {
			return "true"
		}
		return "false"
	}
	return "#b" + text
}

func (b *boolector) assignmentOf(r driver.Ref) string {
	p := b.callC("bv_assignment", b.btor, r)
	defer b.callC("free_bv_assignment", b.btor, p)
	return driver.GoString(p)
}

func (b *boolector) ValueText(s *driver.Session, t smt.Term, r driver.Ref) string {
	b.noMore("values")
	so := s.Arena().Sort(t)
	if isArray(s, so) {
		if text, ok := b.arrayText(s, so, r); ok {
			return text
		}
		return smtlib.TermText(s.Arena(), t) // all that is known
	}
	return bitsValue(s, so, b.assignmentOf(r))
}

// tableRows calls a function that returns the lists of arguments and values of an array or function.
func (b *boolector) tableRows(name string, r driver.Ref) (args, values []string) {
	w := b.Library.Memory.Words(3)
	b.callC(name, b.btor, r, w.Addr(), w.Addr()+8, w.Addr()+16)
	n := int(uint32(w.At(2)))
	for i := range n {
		args = append(args, driver.GoString(driver.WordAt(w.At(0), i)))
		values = append(values, driver.GoString(driver.WordAt(w.At(1), i)))
	}
	if n > 0 {
		b.callC("free_"+name, b.btor, w.At(0), w.At(1), uintptr(n))
	}
	return args, values
}

// isComplete reports whether a table says what is at every index, of some bits: by the default that the library calls *, or one
// by one. Of the indices that a table leaves out nothing is known, although the library's own printer has zeros there.
func isComplete(args []string, width int) bool {
	return slices.Contains(args, "*") || width <= 16 && len(args) == 1<<width
}

// arrayText is the value of an array; ok is false where its table leaves out something.
func (b *boolector) arrayText(s *driver.Session, so smt.Sort, r driver.Ref) (text string, ok bool) {
	x := s.Arena().SortArgs(so)
	args, values := b.tableRows("array_assignment", r)
	if !isComplete(args, max(1, s.Arena().Width(x[0]))) {
		return "", false
	}
	other := values[0]
	stores, heads := "", ""
	for i := range args {
		if args[i] == "*" {
			other = values[i]
			continue
		}
		heads += "(store "
		stores += " " + bitsValue(s, x[0], args[i]) + " " + bitsValue(s, x[1], values[i]) + ")"
	}
	return heads + "((as const " + s.Arena().SortString(so) + ") " + bitsValue(s, x[1], other) + ")" + stores, true
}

func (b *boolector) Model(s *driver.Session) string {
	b.noMore("models")
	var out strings.Builder
	out.WriteString("(\n")
	for _, f := range s.Declared {
		info := s.Arena().SymbolInfo(f)
		r := s.Symbol(f)
		params, body, ok := "", "", true
		switch {
		case len(info.Params) > 0:
			params, body, ok = b.functionText(s, info, r)
		case isArray(s, info.Result):
			body, ok = b.arrayText(s, info.Result, r)
		default:
			body = bitsValue(s, info.Result, b.assignmentOf(r))
		}
		if ok {
			fmt.Fprintf(&out, "(define-fun %s (%s) %s %s)\n", info.Text, params, s.Arena().SortString(info.Result), body)
		}
	}
	return out.String() + ")"
}

// functionText is the table of a function; ok is false where it leaves out something.
func (b *boolector) functionText(s *driver.Session, info *smt.SymbolInfo, r driver.Ref) (params, body string, ok bool) {
	width := 0
	for i, p := range info.Params {
		params += fmt.Sprintf(" (x%d %s)", i, s.Arena().SortString(p))
		width += max(1, s.Arena().Width(p))
	}
	args, values := b.tableRows("uf_assignment", r)
	if !isComplete(args, width) {
		return "", "", false
	}
	other, tail := values[0], ""
	for i := range args {
		if args[i] == "*" {
			other = values[i]
			continue
		}
		cond := ""
		for j, x := range strings.Fields(args[i]) {
			cond += fmt.Sprintf(" (= x%d %s)", j, bitsValue(s, info.Params[j], x))
		}
		if len(info.Params) > 1 {
			cond = " (and" + cond + ")"
		}
		body += "(ite" + cond + " " + bitsValue(s, info.Result, values[i]) + " "
		tail += ")"
	}
	return strings.TrimSpace(params), body + bitsValue(s, info.Result, other) + tail, true
}

func (b *boolector) Ask(s *driver.Session, c *smtlib.Command) string {
	if c.Kind == smtlib.CmdOther && c.Name == "simplify-assertions" {
		b.callC("simplify", b.btor)
		return ""
	}
	return b.Base.Ask(s, c)
}
