package bitwuzla

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// bitwuzla is the binding of libbitwuzla (bitwuzla/c/bitwuzla.h, versions with a term manager: 0.4 and later). Errors come
// by an abort callback; one that returns lets the function return null and leaves the library usable, so that is what
// this one does.
type bitwuzla struct {
	driver.Base
	tm, opts, solver driver.Ref
	kinds            map[string]uint32 // numbers by name: they differ between versions
	info             []bitwuzlaOption
	flag             []byte // "0" or "1", what the termination callback reads
	share            *driver.Shared
	noReal           driver.Ref // stands for constants of sort Real, which only to_fp takes
}

type bitwuzlaOption struct {
	driver.OptionInfo
	number uint32
}

// abortMessage is what the abort callback got, "" for nothing. All calls are made on one thread.
var abortMessage string

// New returns the binding for a loaded library; an error says what it lacks.
func New(l *driver.Library) (driver.API, error) {
	for _, name := range []string{"bitwuzla_term_manager_new", "bitwuzla_set_abort_callback", "bitwuzla_kind_to_string"} {
		if !l.Has(name) {
			return nil, fmt.Errorf("%s has no function %s: it is no libbitwuzla, or one before version 0.4", l.Path, name)
		}
	}
	b := &bitwuzla{Base: driver.Base{Library: l}, share: &driver.Shared{}, kinds: map[string]uint32{}, flag: driver.MapMemory(16)}
	l.Call("bitwuzla_set_abort_callback", driver.NewCallback(func(msg uintptr) {
		if abortMessage = driver.GoString(msg); abortMessage == "" {
			abortMessage = "an error without a message"
		}
	}))
	for k := uint32(0); k < 1000; k++ {
		name := l.Text("bitwuzla_kind_to_string", uintptr(k))
		if abortMessage != "" || name == "" || strings.Contains(name, "NUM_KINDS") {
			break
		}
		b.kinds[strings.TrimPrefix(name, "BITWUZLA_KIND_")] = k
	}
	abortMessage = ""
	return b, nil
}

// callC calls a function and throws the error that the abort callback got.
func (b *bitwuzla) callC(name string, args ...uintptr) driver.Ref {
	r := b.Library.Call(name, args...)
	if abortMessage != "" {
		msg := abortMessage
		abortMessage = ""
		panic(driver.Refuse(solvers.Refusal, strings.TrimSpace(msg)))
	}
	return r
}

func (b *bitwuzla) callForText(name string, args ...uintptr) string {
	return driver.GoString(b.callC(name, args...))
}
func (b *bitwuzla) Version() string { return b.callForText("version") }

// optionTable reads what the library says of its options: the structure is BitwuzlaOptionInfo of bitwuzla.h.
func (b *bitwuzla) optionTable() []bitwuzlaOption {
	if b.info != nil {
		return b.info
	}
	opts := b.callC("options_new")
	defer b.callC("options_delete", opts)
	for n := uint32(0); n < 1000; n++ {
		w := b.Library.Memory.Words(16)
		b.Library.Call("bitwuzla_get_option_info", opts, uintptr(n), w.Addr())
		if abortMessage != "" || w.At(2) == 0 {
			abortMessage = ""
			break
		}
		o := bitwuzlaOption{number: n, OptionInfo: driver.OptionInfo{Name: driver.GoString(w.At(2)), Doc: driver.GoString(w.At(3)), Kind: "text"}}
		switch {
		case driver.ByteAt(w.Addr(), 32) != 0:
			o.Kind, o.Value = "number", strconv.FormatUint(uint64(w.At(6)), 10)
			o.Min, o.Max = strconv.FormatUint(uint64(w.At(7)), 10), strconv.FormatUint(uint64(w.At(8)), 10)
			if o.Min == "0" && o.Max == "1" {
				o.Kind = "bool"
			}
		case driver.ByteAt(w.Addr(), 33) != 0:
			o.Kind, o.Value = "choice", driver.GoString(w.At(10))
			for i := range int(w.At(11)) {
				o.Values = append(o.Values, driver.GoString(driver.WordAt(w.At(12), i)))
			}
		}
		b.info = append(b.info, o)
	}
	return b.info
}

// Learn asks for the options, which the binding keeps.
func (b *bitwuzla) Learn() { b.optionTable() }

func (b *bitwuzla) Options() (all []driver.OptionInfo) {
	for _, o := range b.optionTable() {
		all = append(all, o.OptionInfo)
	}
	return all
}

func (b *bitwuzla) Open(s *driver.Session) {
	b.opts = b.callC("options_new")
	defer func() {
		if r := recover(); r != nil {
			b.Shut(false)
			panic(r)
		}
	}()
	for _, o := range s.Settings.Options {
		b.setOption(o.Name, o.Value)
	}
	b.tm = b.share.Take(func() driver.Ref { return b.callC("term_manager_new") })
	b.makeSolver()
}

func (b *bitwuzla) Twin() driver.API {
	return &bitwuzla{Base: b.Base, kinds: b.kinds, info: b.info, share: b.share, flag: driver.MapMemory(16)}
}

func (b *bitwuzla) Shares(other driver.API) bool {
	x, ok := other.(*bitwuzla)
	return ok && x.share == b.share && x.tm == b.tm && b.tm != 0
}

func (b *bitwuzla) makeSolver() {
	b.solver = b.callC("new", b.tm, b.opts)
	b.flag[0], b.flag[1] = '0', 0
	// A callback into Go costs more than a step of the search: atoi of libc reads the flag instead.
	if atoi := driver.LibcSymbol("atoi"); atoi != 0 && driver.Recording == nil {
		b.callC("set_termination_callback", b.solver, atoi, driver.Address(b.flag))
	}
}

func (b *bitwuzla) setOption(name, value string) {
	for _, o := range b.optionTable() {
		if o.Name != name {
			continue
		}
		switch {
		case o.Kind == "choice":
			b.callC("set_option_mode", b.opts, uintptr(o.number), b.Library.Str(value))
		case o.Kind == "text":
			b.callC("set_option_string", b.opts, uintptr(o.number), b.Library.Str(value))
		case value == "true":
			b.callC("set_option", b.opts, uintptr(o.number), 1)
		case value == "false":
			b.callC("set_option", b.opts, uintptr(o.number), 0)
		default:
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				panic(driver.RefuseOption("bitwuzla: option %s takes a number, not %q", name, value))
			}
			b.callC("set_option", b.opts, uintptr(o.number), uintptr(n))
		}
		return
	}
	if !strings.HasPrefix(name, "produce-") {
		panic(driver.RefuseOption("bitwuzla has no option %s", name))
	}
}

func (b *bitwuzla) Shut(broken bool) {
	solver, tm, opts := b.solver, b.tm, b.opts
	b.solver, b.tm, b.opts, b.noReal = 0, 0, 0, 0
	if tm != 0 {
		tm = b.share.Leave()
	}
	if broken {
		return
	}
	if solver != 0 {
		b.callC("delete", solver)
	}
	if tm != 0 {
		b.callC("term_manager_delete", tm)
	}
	if opts != 0 {
		b.callC("options_delete", opts)
	}
}

func (b *bitwuzla) Sort(s *driver.Session, so smt.Sort) driver.Ref {
	a := s.Arena()
	switch a.SortKind(so) {
	case smt.KindBool:
		return b.callC("mk_bool_sort", b.tm)
	case smt.KindBitVec:
		return b.callC("mk_bv_sort", b.tm, uintptr(a.Width(so)))
	case smt.KindFloat:
		eb, sb := a.FloatFormat(so)
		return b.callC("mk_fp_sort", b.tm, uintptr(eb), uintptr(sb))
	case smt.KindRoundingMode:
		return b.callC("mk_rm_sort", b.tm)
	case smt.KindArray:
		x := a.SortArgs(so)
		return b.callC("mk_array_sort", b.tm, s.Sort(x[0]), s.Sort(x[1]))
	case smt.KindFunc:
		x := a.SortArgs(so)
		return b.functionSort(s, x[:len(x)-1], x[len(x)-1])
	case smt.KindUser:
		if len(a.SortArgs(so)) == 0 {
			name, _ := a.SortSymbolName(a.SortSymbolOf(so))
			return b.callC("mk_uninterpreted_sort", b.tm, b.Library.Str(name))
		}
	}
	panic(b.NoSort(s, so))
}

func (b *bitwuzla) functionSort(s *driver.Session, params []smt.Sort, result smt.Sort) driver.Ref {
	return b.callC("mk_fun_sort", b.tm, uintptr(len(params)), b.Library.Refs(s.SortList(params)), s.Sort(result))
}

func (b *bitwuzla) Constant(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	return b.callC("mk_const", b.tm, s.Sort(info.Result), b.Library.Str(info.Name))
}

func (b *bitwuzla) Function(s *driver.Session, f smt.Symbol) driver.Ref {
	info := s.Arena().SymbolInfo(f)
	return b.callC("mk_const", b.tm, b.functionSort(s, info.Params, info.Result), b.Library.Str(info.Name))
}

func (b *bitwuzla) Variable(s *driver.Session, t smt.Term) driver.Ref {
	return b.callC("mk_var", b.tm, s.Sort(s.Arena().Sort(t)), b.Library.Str(s.Arena().VarName(t)))
}

func (b *bitwuzla) Binder(s *driver.Session, t smt.Term, vars []driver.Ref, body driver.Ref) driver.Ref {
	kind := map[smt.Op]string{smt.OpForall: "FORALL", smt.OpExists: "EXISTS", smt.OpLambda: "LAMBDA"}[s.Arena().Op(t)]
	if kind == "LAMBDA" && s.Arena().SortKind(s.Arena().Sort(t)) != smt.KindFunc {
		panic(driver.Unsupported("bitwuzla has no lambdas that are arrays"))
	}
	if len(vars) > 1 && kind != "LAMBDA" && s.Pick(2) == 1 { // one quantifier for each variable
		for i := len(vars) - 1; i >= 0; i-- {
			body = b.makeTerm(s, kind, nil, vars[i], body)
		}
		return body
	}
	return b.makeTerm(s, kind, nil, append(vars[:len(vars):len(vars)], body)...)
}

func (b *bitwuzla) Apply(s *driver.Session, _ smt.Term, _ smt.Symbol, fun driver.Ref, args []driver.Ref) driver.Ref {
	return b.makeTerm(s, "APPLY", nil, append([]driver.Ref{fun}, args...)...)
}

// makeTerm makes a term of a kind by one of the functions for it.
func (b *bitwuzla) makeTerm(s *driver.Session, kind string, idx []uint64, args ...driver.Ref) driver.Ref {
	k, ok := b.kinds[kind]
	if !ok {
		panic(driver.Unsupported("%s, version %s, has no kind %s", b.Library.Path, b.Version(), kind))
	}
	n := len(args)
	pair := [2]int{n, len(idx)}
	if s.Pick(2) == 0 {
		switch pair {
		case [2]int{1, 0}, [2]int{2, 0}, [2]int{3, 0}:
			return b.callC("mk_term"+strconv.Itoa(n), append([]driver.Ref{b.tm, driver.Ref(k)}, args...)...)
		case [2]int{1, 1}, [2]int{1, 2}, [2]int{2, 1}, [2]int{2, 2}:
			all := append([]driver.Ref{b.tm, driver.Ref(k)}, args...)
			return b.callC(fmt.Sprintf("mk_term%d_indexed%d", n, len(idx)), append(all, driver.Words(idx)...)...)
		}
	}
	if len(idx) == 0 {
		return b.callC("mk_term", b.tm, driver.Ref(k), uintptr(n), b.Library.Refs(args))
	}
	return b.callC("mk_term_indexed", b.tm, driver.Ref(k), uintptr(n), b.Library.Refs(args), uintptr(len(idx)), b.Library.Refs(driver.Words(idx)))
}

func (b *bitwuzla) Value(s *driver.Session, t smt.Term) driver.Ref {
	a := s.Arena()
	switch a.Op(t) {
	case smt.OpTrue:
		return b.callC("mk_true", b.tm)
	case smt.OpFalse:
		return b.callC("mk_false", b.tm)
	case smt.OpBVLit:
		n, _ := a.BVOf(t)
		return b.makeBitVector(s, a.Width(a.Sort(t)), s.Sort(a.Sort(t)), n)
	case smt.OpRealLit, smt.OpIntLit:
		return b.realStandIn()
	}
	panic(b.NoOp(s, t))
}

// realStandIn is the stand-in for a constant of sort Real: some object, which nothing but to_fp may get.
func (b *bitwuzla) realStandIn() driver.Ref {
	if b.noReal == 0 {
		b.noReal = driver.Address(b.flag)
	}
	return b.noReal
}

func (b *bitwuzla) makeBitVector(s *driver.Session, width int, so driver.Ref, n *big.Int) driver.Ref {
	special := ""
	ones := n.BitLen() == width && new(big.Int).Add(n, big.NewInt(1)).BitLen() == width+1
	switch {
	case n.Sign() == 0:
		special = "zero"
	case n.IsUint64() && n.Uint64() == 1 && width > 1:
		special = "one"
	case ones:
		special = "ones"
	case n.BitLen() == width && n.TrailingZeroBits() == uint(width-1):
		special = "min_signed"
	case n.BitLen() == width-1 && new(big.Int).Add(n, big.NewInt(1)).BitLen() == width:
		special = "max_signed"
	}
	way := s.Pick(6)
	switch {
	case way == 1 && special != "":
		return b.callC("mk_bv_"+special, b.tm, so)
	case way == 2:
		return b.callC("mk_bv_value", b.tm, so, b.Library.Str(n.Text(2)), 2)
	case way == 3:
		return b.callC("mk_bv_value", b.tm, so, b.Library.Str(n.Text(16)), 16)
	case way == 4 && width <= 63 && n.IsInt64():
		v := n.Int64()
		if v>>(width-1)&1 == 1 { // the same bits as a negative number
			v -= 1 << width
		}
		return b.callC("mk_bv_value_int64", b.tm, so, uintptr(v))
	case way == 5 && n.IsUint64():
		return b.callC("mk_bv_value_uint64", b.tm, so, uintptr(n.Uint64()))
	}
	return b.callC("mk_bv_value", b.tm, so, b.Library.Str(n.String()), 10)
}

func (b *bitwuzla) Assert(_ *driver.Session, r driver.Ref, _ string, _ bool) {
	b.callC("assert", b.solver, r)
}

func (b *bitwuzla) Check(s *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	b.flag[0] = '0'
	var r uint32
	if len(assumptions) == 0 && s.Pick(4) != 1 {
		r = uint32(b.callC("check_sat", b.solver))
	} else {
		r = uint32(b.callC("check_sat_assuming", b.solver, uintptr(len(assumptions)), b.Library.Refs(assumptions)))
	}
	switch r {
	case 10:
		return smtlib.Sat
	case 20:
		return smtlib.Unsat
	}
	return smtlib.Unknown
}

func (b *bitwuzla) Stop() bool {
	b.flag[0] = '1'
	return true
}

func (b *bitwuzla) Push(n int) { b.callC("push", b.solver, uintptr(n)) }
func (b *bitwuzla) Pop(n int)  { b.callC("pop", b.solver, uintptr(n)) }

// ResetAssertions has no function: another solver over the same terms does it.
func (b *bitwuzla) ResetAssertions() {
	b.callC("delete", b.solver)
	b.solver = 0
	b.makeSolver()
}

func (b *bitwuzla) ValueText(_ *driver.Session, _ smt.Term, r driver.Ref) string {
	if r == b.noReal {
		panic(driver.Unsupported("bitwuzla has no sort Real"))
	}
	return b.callForText("term_to_string", b.callC("get_value", b.solver, r))
}

// Model makes definitions of the values of what was declared: the C interface has no function for a whole model.
func (b *bitwuzla) Model(s *driver.Session) string {
	var out strings.Builder
	out.WriteString("(\n")
	for _, f := range s.Declared {
		info := s.Arena().SymbolInfo(f)
		text := b.callForText("term_to_string", b.callC("get_value", b.solver, s.Symbol(f)))
		params := ""
		if len(info.Params) > 0 {
			var ok bool
			if params, text, ok = splitLambda(text, len(info.Params)); !ok {
				panic(driver.Refuse(solvers.SolverError, "the value of function "+info.Name+" is no lambda: "+text))
			}
		}
		fmt.Fprintf(&out, "(define-fun %s (%s) %s %s)\n", info.Text, params, s.Arena().SortString(info.Result), text)
	}
	return out.String() + ")"
}

// splitLambda takes a (possibly nested) lambda with n variables apart.
func splitLambda(text string, n int) (params, body string, ok bool) {
	es, err := smtlib.ParseSExprs(text)
	if err != nil || len(es) != 1 {
		return "", text, false
	}
	e := &es[0]
	var vars []string
	for e.Head() == "lambda" && len(e.List) == 3 && len(vars) < n {
		for i := range e.List[1].List {
			vars = append(vars, e.List[1].List[i].String())
		}
		e = &e.List[2]
	}
	return strings.Join(vars, " "), e.String(), len(vars) == n
}

// callForList calls a function that returns an array and writes its length behind its arguments.
func (b *bitwuzla) callForList(name string) []driver.Ref {
	n := b.Library.Memory.Words(1)
	p := b.callC(name, b.solver, n.Addr())
	return driver.WordsAt(p, int(n.At(0)))
}

func (b *bitwuzla) Core(*driver.Session) []driver.Ref { return b.callForList("get_unsat_core") }

func (b *bitwuzla) Failed(s *driver.Session, assumptions []driver.Ref) []driver.Ref {
	if s.Pick(2) == 0 {
		return b.callForList("get_unsat_assumptions")
	}
	var out []driver.Ref
	for _, r := range assumptions {
		if b.callC("is_unsat_assumption", b.solver, r)&0xff != 0 {
			out = append(out, r)
		}
	}
	return out
}

func (b *bitwuzla) Ask(s *driver.Session, c *smtlib.Command) string {
	switch c.Kind {
	case smtlib.CmdGetAssertions:
		var parts []string
		for _, r := range b.callForList("get_assertions") {
			parts = append(parts, b.callForText("term_to_string", r))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case smtlib.CmdSimplify:
		if b.Library.Has("bitwuzla_simplify_term") {
			return b.callForText("term_to_string", b.callC("simplify_term", b.solver, s.Term(c.Terms[0])))
		}
	}
	if c.Kind == smtlib.CmdOther && c.Name == "simplify-assertions" {
		b.callC("simplify", b.solver)
		return ""
	}
	return b.Base.Ask(s, c)
}
