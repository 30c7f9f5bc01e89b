package meta_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/meta"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// interfaces are those of package solvers that a session may have, with what is said of the others.
var interfaces = map[string]reflect.Type{
	"Session": reflect.TypeFor[solvers.Session](), "TermMaker": reflect.TypeFor[solvers.TermMaker](), "Seeded": reflect.TypeFor[solvers.Seeded](),
	"Resetter": reflect.TypeFor[solvers.Resetter](), "AssertionResetter": reflect.TypeFor[solvers.AssertionResetter](),
	"Modeler": reflect.TypeFor[solvers.Modeler](), "Valuer": reflect.TypeFor[solvers.Valuer](), "Corer": reflect.TypeFor[solvers.Corer](),
	"AssumptionCorer": reflect.TypeFor[solvers.AssumptionCorer](), "Asker": reflect.TypeFor[solvers.Asker](),
	"Measured": reflect.TypeFor[solvers.Measured](), "Transferrer": reflect.TypeFor[solvers.Transferrer](), "Renewer": reflect.TypeFor[solvers.Renewer](),
}

// others are the interfaces of targets, and Batcher and Teller, which a session made of sessions is not: it sees every call by itself, and
// solvers.CheckAfter and solvers.Do make them where there is no batch and no text is taken.
var others = map[string]bool{"Target": true, "Opener": true, "InputRunner": true, "Batcher": true, "Teller": true, "Counter": true}

// recorder has every interface of a session, and notes the methods that are called.
type recorder struct {
	a     *smt.Arena
	calls []string
}

func (r *recorder) on(name string) error { r.calls = append(r.calls, name); return nil }

func (r *recorder) Arena() *smt.Arena                       { return r.a }
func (r *recorder) SetLogic(string) error                   { return r.on("SetLogic") }
func (r *recorder) SetOption(string, string) error          { return r.on("SetOption") }
func (r *recorder) DeclareSort(smt.SortSymbol) error        { return r.on("DeclareSort") }
func (r *recorder) DeclareDatatypes([]smt.SortSymbol) error { return r.on("DeclareDatatypes") }
func (r *recorder) Declare(smt.Symbol) error                { return r.on("Declare") }
func (r *recorder) Define([]smt.Symbol) error               { return r.on("Define") }
func (r *recorder) Assert(smt.Term) error                   { return r.on("Assert") }
func (r *recorder) CheckSat([]smt.Term) (a smtlib.Answer, err error) {
	return smtlib.Sat, r.on("CheckSat")
}
func (r *recorder) Push(int) error          { return r.on("Push") }
func (r *recorder) Pop(int) error           { return r.on("Pop") }
func (r *recorder) Close() error            { return r.on("Close") }
func (r *recorder) MakeSort(smt.Sort) error { return r.on("MakeSort") }
func (r *recorder) MakeTerm(smt.Term) error { return r.on("MakeTerm") }
func (r *recorder) Seed(uint64)             { _ = r.on("Seed") }
func (r *recorder) Renew()                  { _ = r.on("Renew") }
func (r *recorder) Reset() error            { return r.on("Reset") }
func (r *recorder) ResetAssertions() error  { return r.on("ResetAssertions") }
func (r *recorder) Model() (string, error)  { return "", r.on("Model") }
func (r *recorder) Values(ts []smt.Term) ([]string, error) {
	return make([]string, len(ts)), r.on("Values")
}
func (r *recorder) UnsatCore() ([]smt.Term, error)             { return nil, r.on("UnsatCore") }
func (r *recorder) UnsatAssumptions() ([]smt.Term, error)      { return nil, r.on("UnsatAssumptions") }
func (r *recorder) Ask(c *smtlib.Command) (string, error)      { return "reply", r.on("Ask") }
func (r *recorder) Measure(*solvers.Run)                       { _ = r.on("Measure") }
func (r *recorder) Transfer(solvers.Session, []smt.Term) error { return r.on("Transfer") }

// metas make meta sessions over two others, of which one may be unused.
var metas = map[string]func(t *testing.T, s, other solvers.Session) solvers.Session{
	"writer": func(t *testing.T, s, _ solvers.Session) solvers.Session {
		return meta.NewWriterFor(s, &strings.Builder{})
	},
	"tee": func(t *testing.T, s, _ solvers.Session) solvers.Session {
		x, err := meta.NewTee(s, &strings.Builder{})
		require.NoError(t, err)
		return x
	},
	"checked": func(_ *testing.T, s, _ solvers.Session) solvers.Session { return meta.NewChecked(s, nil) },
	"cross":   func(_ *testing.T, s, other solvers.Session) solvers.Session { return meta.NewCross(other, s) },
}

// TestEverythingIsForwarded: every method of every interface of sessions, those that will be added too, reaches the sessions below.
func TestEverythingIsForwarded(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	require.NoError(t, err)
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() && !strings.HasSuffix(file, "_test.go") {
				if _, ok := s.Type.(*ast.InterfaceType); ok && !others[s.Name.Name] {
					require.Contains(t, interfaces, s.Name.Name, "a new interface: list it here, and forward it in relay")
				}
			}
			return true
		})
	}
	for kind, make := range metas {
		for name, typ := range interfaces {
			a := smt.NewArena()
			below, other := &recorder{a: a}, &recorder{a: a}
			s := make(t, below, other)
			require.True(t, reflect.TypeOf(s).Implements(typ), "%s is no %s", kind, name)
			for i := range typ.NumMethod() {
				m := typ.Method(i)
				if m.Name == "Arena" {
					require.Same(t, a, s.Arena())
					continue
				}
				below.calls, other.calls = nil, nil
				out := reflect.ValueOf(s).MethodByName(m.Name).Call(arguments(t, a, m.Type))
				if n := len(out); n > 0 {
					require.True(t, out[n-1].IsNil(), "%s.%s: %v", kind, m.Name, out)
				}
				require.Equal(t, []string{m.Name}, below.calls, kind)
				if kind == "cross" {
					require.Equal(t, below.calls, other.calls)
				}
			}
		}
	}
}

// arguments makes arguments of a method.
func arguments(t *testing.T, a *smt.Arena, m reflect.Type) (in []reflect.Value) {
	script, err := smtlib.Parse("s", []byte("(declare-datatype U ((c)))(define-fun p () Bool true)"), a)
	require.NoError(t, err)
	u := script.Commands[0].Sorts[0]
	p := a.Const(script.Commands[1].Symbols[0])
	known := []any{"text", 1, uint64(1), p, []smt.Term{p}, smt.SortBool, u, []smt.SortSymbol{u}, a.SymbolOf(p), []smt.Symbol{a.SymbolOf(p)},
		&smtlib.Command{Kind: smtlib.CmdOther, Name: "get-difficulty", Text: "(get-difficulty)"}, &solvers.Run{}, &recorder{a: a}}
	for i := range m.NumIn() {
		n := len(in)
		for _, x := range known {
			if n == len(in) && reflect.TypeOf(x).AssignableTo(m.In(i)) {
				in = append(in, reflect.ValueOf(x))
			}
		}
		require.Len(t, in, n+1, "no argument of type %s", m.In(i))
	}
	return in
}

// bare has no more than a session must have.
type bare struct{ solvers.Session }

// TestWhatIsLackingIsSaid: an interface that the session below lacks is refused, or left out where that means nothing.
func TestWhatIsLackingIsSaid(t *testing.T) {
	for kind, make := range metas {
		a := smt.NewArena()
		s := make(t, bare{&recorder{a: a}}, bare{&recorder{a: a}})
		_, err := s.(solvers.Valuer).Values([]smt.Term{a.Const(a.Declare("p", nil, smt.SortBool))})
		require.Equal(t, solvers.Unsupported, solvers.ClassOf(err), kind)
		_, err = s.(solvers.Corer).UnsatCore()
		require.Equal(t, solvers.Unsupported, solvers.ClassOf(err), kind)
		require.Equal(t, solvers.Unsupported, solvers.ClassOf(s.(solvers.Resetter).Reset()), kind)
		require.NoError(t, s.(solvers.TermMaker).MakeSort(smt.SortBool), kind)
		require.NoError(t, s.(solvers.Transferrer).Transfer(s, nil), kind)
	}
}

// TestTransferBelow: each session below takes terms over from the one in its own place.
func TestTransferBelow(t *testing.T) {
	a := smt.NewArena()
	var from []solvers.Session
	one, two := &taker{recorder{a: a}, &from}, &taker{recorder{a: a}, &from}
	source := meta.NewCross(one, two)
	require.NoError(t, meta.NewCross(two, one).Transfer(source, nil))
	require.Equal(t, []solvers.Session{one, two}, from)
	from = nil
	require.NoError(t, meta.NewChecked(one, nil).Transfer(source, nil))
	require.Equal(t, []solvers.Session{source}, from, "another number of them: made anew")
}

type taker struct {
	recorder
	from *[]solvers.Session
}

func (x *taker) Transfer(from solvers.Session, _ []smt.Term) error {
	*x.from = append(*x.from, from)
	return nil
}

// TestTraceHasSeeds: a tee's trace replays the choices that a library's wrapper made, and transferred terms are made.
func TestTraceHasSeeds(t *testing.T) {
	a := smt.NewArena()
	var b strings.Builder
	s, err := meta.NewTee(&recorder{a: a}, &b)
	require.NoError(t, err)
	s.Seed(0x2a)
	p := a.Const(a.Declare("p", nil, smt.SortBool))
	require.NoError(t, s.Declare(a.SymbolOf(p)))
	require.NoError(t, s.Transfer(nil, []smt.Term{a.Not(p)}))
	back, err := tracetext.Read([]byte(b.String()), nil)
	require.NoError(t, err, b.String())
	require.Equal(t, uint64(0x2a), back.Calls[0].Seed, b.String())
	require.Contains(t, b.String(), "mk-term not", b.String())
}
