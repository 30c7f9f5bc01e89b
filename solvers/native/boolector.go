package native

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// boolector is the binding of libboolector (boolector.h, version 3). Its abort callback must not return, so it leaves the
// library by a panic, and the child is not used again. Bool is a bit vector of width 1 to it; functions of no arguments
// are variables.
type boolector struct {
	base
	btor    ref
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
		panic(unsupported("boolector has no %s beside quantifiers, which it takes in a single check-sat", what))
	}
}

type boolectorOption struct {
	OptionInfo
	number uint32
}

type namedRef struct{ r ref }

func newBoolector(l *library) (api, error) {
	for _, name := range []string{"boolector_new", "boolector_set_abort", "boolector_first_opt"} {
		if !l.has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libboolector of version 3", l.path, name)
		}
	}
	b := &boolector{base: base{l}, flag: mapMemory(16)}
	l.call("boolector_set_abort", newCallback(func(msg uintptr) {
		f := refuse(solvers.Refusal, strings.TrimSpace(goString(msg)))
		f.dead = true
		panic(f)
	}))
	return b, nil
}

func (b *boolector) twin() api { return &boolector{base: b.base, info: b.info, flag: mapMemory(16)} }

func (b *boolector) c(name string, args ...uintptr) ref { return b.l.call(name, args...) }

func (b *boolector) text(name string, args ...uintptr) string { return goString(b.c(name, args...)) }

func (b *boolector) version() string {
	x := b.c("new")
	defer b.c("delete", x)
	return b.text("version", x)
}

func (b *boolector) optionTable() []boolectorOption {
	if b.info != nil {
		return b.info
	}
	x := b.c("new")
	defer b.c("delete", x)
	for o := b.c("first_opt", x); b.c("has_opt", x, o)&0xff != 0; o = b.c("next_opt", x, o) {
		number := func(name string) string { return strconv.FormatUint(uint64(uint32(b.c(name, x, o))), 10) }
		info := OptionInfo{Name: b.text("get_opt_lng", x, o), Doc: b.text("get_opt_desc", x, o), Kind: "number",
			Min: number("get_opt_min"), Max: number("get_opt_max"), Value: number("get_opt_dflt")}
		if info.Min == "0" && info.Max == "1" {
			info.Kind = "bool"
		}
		b.info = append(b.info, boolectorOption{info, uint32(o)})
	}
	return b.info
}

// learn asks for the options, which the binding keeps.
func (b *boolector) learn() { b.optionTable() }

func (b *boolector) options() (all []OptionInfo) {
	for _, o := range b.optionTable() {
		all = append(all, o.OptionInfo)
	}
	return all
}

func (b *boolector) open(s *session) {
	b.optionTable()
	b.btor = b.c("new")
	b.assumed, b.levels, b.quantifies, b.goesOn = nil, nil, false, false
	b.option("incremental", "1")
	b.option("auto-cleanup", "1") // objects that are left do not count as a mistake at the end
	if s.set.models {
		b.option("model-gen", "1")
	}
	for _, o := range s.set.options {
		if strings.HasPrefix(o.name, "produce-") {
			continue
		}
		b.option(o.name, o.value)
	}
	b.flag[0], b.flag[1] = '0', 0
	if atoi := libcSymbol("atoi"); atoi != 0 && recording == nil {
		b.c("set_term", b.btor, atoi, address(b.flag))
	}
}

// boolectorModes are the words that the program takes for values of options, in the order of the numbers of its library.
var boolectorModes = map[string][]string{
	"beta-reduce": {"none", "fun", "all"}, "fun-eager-lemmas": {"none", "conf", "all"}, "fun-just-heuristic": {"left", "applies", "depth"},
	"fun-dual-prop-qsort": {"just", "asc", "desc"}, "sls-strategy": {"best", "walk", "first", "same", "prop"},
	"prop-path-sel": {"controlling", "essential", "random"},
}

func (b *boolector) option(name, value string) {
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
			panic(refuseOption("boolector: option %s takes a number from %s to %s, not %q", name, o.Min, o.Max, value))
		}
		b.c("set_opt", b.btor, uintptr(o.number), uintptr(n))
		return
	}
	panic(refuseOption("boolector has no option %s", name))
}

func (b *boolector) setLate(_ *session, name, value string) { b.option(name, value) }

func (b *boolector) shut(broken bool) {
	x := b.btor
	b.btor = 0
	if x != 0 && !broken {
		b.c("release_all", x)
		b.c("delete", x)
	}
}

func (b *boolector) sort(s *session, so smt.Sort) ref {
	a := s.a
	switch a.SortKind(so) {
	case smt.KindBool:
		return b.c("bool_sort", b.btor)
	case smt.KindBitVec:
		return b.c("bitvec_sort", b.btor, uintptr(a.Width(so)))
	case smt.KindArray:
		x := a.SortArgs(so)
		if a.SortKind(x[0]) == smt.KindArray || a.SortKind(x[1]) == smt.KindArray {
			panic(unsupported("boolector has no arrays of arrays"))
		}
		return b.c("array_sort", b.btor, s.sort(x[0]), s.sort(x[1]))
	}
	panic(b.noSort(s, so))
}

// isArray reports whether a sort is one of arrays, which are functions to the library.
func isArray(s *session, so smt.Sort) bool { return s.a.SortKind(so) == smt.KindArray }

// cName is the name of a symbol in the library; it must be unique there, which :named and push do not grant.
func (b *boolector) constant(s *session, f smt.Symbol) ref {
	info := s.a.SymbolInfo(f)
	if isArray(s, info.Result) {
		return b.c("array", b.btor, s.sort(info.Result), 0)
	}
	return b.c("var", b.btor, s.sort(info.Result), 0)
}

func (b *boolector) function(s *session, f smt.Symbol) ref {
	info := s.a.SymbolInfo(f)
	for _, p := range append(info.Params[:len(info.Params):len(info.Params)], info.Result) {
		if isArray(s, p) {
			panic(unsupported("boolector has no functions over arrays"))
		}
	}
	so := b.c("fun_sort", b.btor, b.l.refs(s.sortList(info.Params)), uintptr(len(info.Params)), s.sort(info.Result))
	return b.c("uf", b.btor, so, 0)
}

func (b *boolector) variable(s *session, t smt.Term) ref {
	if isArray(s, s.a.Sort(t)) {
		panic(unsupported("boolector quantifies over bit vectors only"))
	}
	return b.c("param", b.btor, s.sort(s.a.Sort(t)), 0)
}

func (b *boolector) binder(s *session, t smt.Term, vars []ref, body ref) ref {
	switch s.a.Op(t) {
	case smt.OpForall:
		b.quantifies = true
		return b.c("forall", b.btor, b.l.refs(vars), uintptr(len(vars)), body)
	case smt.OpExists:
		b.quantifies = true
		return b.c("exists", b.btor, b.l.refs(vars), uintptr(len(vars)), body)
	}
	panic(b.noOp(s, t))
}

func (b *boolector) apply(_ *session, _ smt.Term, _ smt.Symbol, fun ref, args []ref) ref {
	return b.c("apply", b.btor, b.l.refs(args), uintptr(len(args)), fun)
}

func (b *boolector) value(s *session, t smt.Term) ref {
	a := s.a
	switch a.Op(t) {
	case smt.OpTrue:
		return b.c("true", b.btor)
	case smt.OpFalse:
		return b.c("false", b.btor)
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		width := a.Width(a.Sort(t))
		so := s.sort(a.Sort(t))
		switch way := s.pick(5); {
		case way == 1 && n.Sign() == 0:
			return b.c("zero", b.btor, so)
		case way == 2 && n.IsUint64() && n.Uint64() == 1:
			return b.c("one", b.btor, so)
		case way == 1 && n.BitLen() <= 31:
			return b.c("unsigned_int", b.btor, uintptr(n.Uint64()), so)
		case way == 3:
			return b.c("constd", b.btor, so, b.l.str(n.String()))
		case way == 4:
			return b.c("consth", b.btor, so, b.l.str(n.Text(16)))
		}
		bits := n.Text(2)
		return b.c("const", b.btor, b.l.str(strings.Repeat("0", width-len(bits))+bits))
	}
	panic(b.noOp(s, t))
}

func (b *boolector) assert(_ *session, r ref, _ string, track bool) {
	if track {
		b.assumed = append(b.assumed, namedRef{r})
		return
	}
	b.c("assert", b.btor, r)
}

func (b *boolector) check(_ *session, assumptions []ref) smtlib.Answer {
	b.flag[0] = '0'
	if b.goesOn || len(b.assumed) > 0 || len(assumptions) > 0 {
		b.noMore("levels, assumptions and further checks")
	}
	if b.quantifies {
		b.option("incremental", "0")
	}
	b.goesOn = true
	for _, x := range b.assumed {
		b.c("assume", b.btor, x.r)
	}
	for _, r := range assumptions {
		b.c("assume", b.btor, r)
	}
	switch uint32(b.c("sat", b.btor)) {
	case 10:
		return smtlib.Sat
	case 20:
		return smtlib.Unsat
	}
	return smtlib.Unknown
}

func (b *boolector) stop() bool {
	b.flag[0] = '1'
	return true
}

func (b *boolector) push(n int) {
	b.noMore("levels")
	b.c("push", b.btor, uintptr(n))
	b.goesOn = true
	for range n {
		b.levels = append(b.levels, len(b.assumed))
	}
}

func (b *boolector) pop(n int) {
	b.c("pop", b.btor, uintptr(n))
	k := len(b.levels) - n
	b.assumed, b.levels = b.assumed[:b.levels[k]], b.levels[:k]
}

func (b *boolector) resetAssertions() {
	panic(unsupported("boolector has no reset-assertions"))
}

func (b *boolector) failed(_ *session, assumptions []ref) (out []ref) {
	for _, r := range assumptions {
		if b.c("failed", b.btor, r)&0xff != 0 {
			out = append(out, r)
		}
	}
	return out
}

func (b *boolector) core(s *session) []ref {
	var all []ref
	for _, x := range b.assumed {
		all = append(all, x.r)
	}
	return b.failed(s, all)
}

// bits spells the value of a bit vector or Bool; bits that do not matter come as x and are 0.
func bits(s *session, so smt.Sort, text string) string {
	text = strings.ReplaceAll(text, "x", "0")
	if so == smt.SortBool {
		if text == "1" {
			return "true"
		}
		return "false"
	}
	return "#b" + text
}

func (b *boolector) assignment(r ref) string {
	p := b.c("bv_assignment", b.btor, r)
	defer b.c("free_bv_assignment", b.btor, p)
	return goString(p)
}

func (b *boolector) valueText(s *session, t smt.Term, r ref) string {
	b.noMore("values")
	so := s.a.Sort(t)
	if isArray(s, so) {
		if text, ok := b.arrayText(s, so, r); ok {
			return text
		}
		return smtlib.TermText(s.a, t) // all that is known
	}
	return bits(s, so, b.assignment(r))
}

// rows calls a function that returns the lists of arguments and values of an array or function.
func (b *boolector) rows(name string, r ref) (args, values []string) {
	w := b.l.mem.words(3)
	b.c(name, b.btor, r, w.addr(), w.addr()+8, w.addr()+16)
	n := int(uint32(w.at(2)))
	for i := range n {
		args = append(args, goString(wordAt(w.at(0), i)))
		values = append(values, goString(wordAt(w.at(1), i)))
	}
	if n > 0 {
		b.c("free_"+name, b.btor, w.at(0), w.at(1), uintptr(n))
	}
	return args, values
}

// complete reports whether a table says what is at every index, of some bits: by the default that the library calls *, or one
// by one. Of the indices that a table leaves out nothing is known, although the library's own printer has zeros there.
func complete(args []string, width int) bool {
	return slices.Contains(args, "*") || width <= 16 && len(args) == 1<<width
}

// arrayText is the value of an array; ok is false where its table leaves out something.
func (b *boolector) arrayText(s *session, so smt.Sort, r ref) (text string, ok bool) {
	x := s.a.SortArgs(so)
	args, values := b.rows("array_assignment", r)
	if !complete(args, max(1, s.a.Width(x[0]))) {
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
		stores += " " + bits(s, x[0], args[i]) + " " + bits(s, x[1], values[i]) + ")"
	}
	return heads + "((as const " + s.a.SortString(so) + ") " + bits(s, x[1], other) + ")" + stores, true
}

func (b *boolector) model(s *session) string {
	b.noMore("models")
	var out strings.Builder
	out.WriteString("(\n")
	for _, f := range s.declared {
		info := s.a.SymbolInfo(f)
		r := s.symbol(f)
		params, body, ok := "", "", true
		switch {
		case len(info.Params) > 0:
			params, body, ok = b.functionText(s, info, r)
		case isArray(s, info.Result):
			body, ok = b.arrayText(s, info.Result, r)
		default:
			body = bits(s, info.Result, b.assignment(r))
		}
		if ok {
			fmt.Fprintf(&out, "(define-fun %s (%s) %s %s)\n", info.Text, params, s.a.SortString(info.Result), body)
		}
	}
	return out.String() + ")"
}

// functionText is the table of a function; ok is false where it leaves out something.
func (b *boolector) functionText(s *session, info *smt.SymbolInfo, r ref) (params, body string, ok bool) {
	width := 0
	for i, p := range info.Params {
		params += fmt.Sprintf(" (x%d %s)", i, s.a.SortString(p))
		width += max(1, s.a.Width(p))
	}
	args, values := b.rows("uf_assignment", r)
	if !complete(args, width) {
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
			cond += fmt.Sprintf(" (= x%d %s)", j, bits(s, info.Params[j], x))
		}
		if len(info.Params) > 1 {
			cond = " (and" + cond + ")"
		}
		body += "(ite" + cond + " " + bits(s, info.Result, values[i]) + " "
		tail += ")"
	}
	return strings.TrimSpace(params), body + bits(s, info.Result, other) + tail, true
}

func (b *boolector) ask(s *session, c *smtlib.Command) string {
	if c.Kind == smtlib.CmdOther && c.Name == "simplify-assertions" {
		b.c("simplify", b.btor)
		return ""
	}
	return b.base.ask(s, c)
}
