package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// textMaker makes terms that are texts: a call, its indices and its arguments.
type textMaker struct {
	*fake
	lacks string // a call that it does not know
}

func (m textMaker) Knows(call string) bool { return call != m.lacks }

func (m textMaker) Make(_ *Translation, call string, shape CallShape, indices []uint64, args []Ref) Ref {
	head := call
	for _, n := range indices {
		head += fmt.Sprint("_", n)
	}
	if shape == Indexed {
		head = "indexed " + head
	}
	return m.form(head, args...)
}

func (m textMaker) Conjoin(_ *Translation, parts []Ref) Ref { return m.form("and", parts...) }

func (m textMaker) MakeByText(_ *Translation, _ smt.Term, args []Ref) Ref {
	return m.form("text", args...)
}

// TestRowsOfOperators: each shape of a row makes the call that it says.
func TestRowsOfOperators(t *testing.T) {
	script, err := smtlib.Parse("test", []byte(`(declare-const a Int)(declare-const p Bool)(declare-const v (_ BitVec 8))
		(assert (distinct (- a 1 2) (- a)))(assert (=> p p p))(assert (< a 1 2))(assert (= p p))(assert (= a 1))(assert (= v ((_ extract 7 0) v)
		((_ rotate_left 19) v)))(assert (= ((_ to_fp_unsigned 5 11) RNE v) (_ NaN 5 11)))(assert (= "" (str.++ "")))`), smt.NewArena())
	require.NoError(t, err)
	f := newFake()
	s := &NewSession(f, script.Arena).Translation
	// made makes the first term of an operator by a row, of arguments a, b, ...
	made := func(op smt.Op, row Operator, lacks string) string {
		var found smt.Term
		script.Arena.PostOrder(script.Asserts(), func(x smt.Term) {
			if found == 0 && script.Arena.Op(x) == op {
				found = x
			}
		})
		require.NotZero(t, found, op)
		var args []Ref
		for i := range script.Arena.NumArgs(found) {
			args = append(args, f.form(string(rune('a'+i))))
		}
		return f.text(s.MakeOperator(textMaker{f, lacks}, map[smt.Op]Operator{op: row}, found, args))
	}
	for want, row := range map[string]struct {
		op  smt.Op
		row Operator
	}{
		"(minus (minus a b) c)":       {smt.OpSub, Operator{Call: "minus", Shape: Binary}},
		"(minus a b c)":               {smt.OpSub, Operator{Call: "minus"}},
		"(implies a (implies b c))":   {smt.OpImplies, Operator{Call: "implies", Shape: Chain}},
		"(and (less a b) (less b c))": {smt.OpLt, Operator{Call: "less", Shape: Binary}},
		"(extract_7_0 a)":             {smt.OpExtract, Operator{Call: "extract"}},
		"(indexed extract_7_0 a)":     {smt.OpExtract, Operator{Call: "extract", Shape: Indexed}},
		"(turn_3 a)":                  {smt.OpRotateLeft, Operator{Call: "turn", Shape: Turned}},
		"(float_5_11 a b)":            {smt.OpToFPUnsigned, Operator{Call: "float", Shape: Format}},
		"(same a b)":                  {smt.OpEq, Operator{Call: "same", OnBools: "iff", Drawn: "equal"}},
		"a":                           {smt.OpStrConcat, Operator{Call: "join", Shape: Joined}},
		"(join a)":                    {smt.OpStrConcat, Operator{Call: "join", Shape: List}},
	} {
		require.Equal(t, want, made(row.op, row.row, ""))
	}
	number := f.table.of("1")
	require.Equal(t, "(less a b c 1)", made(smt.OpLt, Operator{Call: "less", Words: []Ref{number}}, ""))
	require.Equal(t, "(second a b c)", made(smt.OpLt, Operator{Call: "first", Second: "second"}, "first"))
	require.Equal(t, "(text a b c)", made(smt.OpLt, Operator{Call: "first", ByText: true}, "first"))
	require.Regexp(t, `^\(nan \S+`, made(smt.OpFPNaN, Operator{Call: "nan", Shape: OfSort}, ""))

	seen := map[string]bool{}
	for seed := range uint64(40) {
		s.rand = seed + 1
		seen[made(smt.OpEq, Operator{Call: "same", OnBools: "iff"}, "")] = true
		seen[made(smt.OpLt, Operator{Call: "less", Drawn: "below"}, "")] = true
	}
	require.Equal(t, map[string]bool{"(same a b)": true, "(iff a b)": true, "(less a b c)": true, "(below a b c)": true}, seen)
	require.Panics(t, func() { s.MakeOperator(textMaker{fake: f}, nil, script.Asserts()[1], nil) })
}

// TestRational: constants of arithmetic are read through negations, quotients and conversions.
func TestRational(t *testing.T) {
	script, err := smtlib.Parse("test", []byte("(declare-const r Real)(assert (distinct 1.5 (- 2.0) (/ (- 1.0) 3.0) (to_real 7) (- (/ 1 4)) r (/ 1.0 0.0) (+ 1.0 1.0)))"), smt.NewArena())
	require.NoError(t, err)
	var got []string
	for _, x := range script.Arena.CopyArgs(script.Commands[1].Terms[0]) {
		r, ok := Rational(script.Arena, x)
		if !ok {
			got = append(got, "-")
			continue
		}
		got = append(got, r.RatString())
	}
	require.Equal(t, []string{"3/2", "-2", "-1/3", "7", "-1/4", "-", "-", "-"}, got)
}

// TestTextsAndWords: what C takes as text and as 32-bit numbers.
func TestTextsAndWords(t *testing.T) {
	require.Equal(t, `a\u{5c}b\u{9}\u{e9}~\u{1f600}`, Escaped([]rune("a\\b\té~😀")))
	require.Equal(t, []Ref{0, 1<<32 - 1}, Words([]uint64{0, 1<<32 - 1}))
	require.PanicsWithError(t, "the index 4294967296 does not fit the C interface", func() { Words([]uint64{1 << 32}) })
}

// TestScratch: what C is given during one call lies side by side, aligned, and is there as it was written; large blocks
// have memory of their own.
func TestScratch(t *testing.T) {
	var m Scratch
	for range 3 {
		text := m.cString("hello")
		refs := m.refArray([]Ref{7, 8, 9})
		words := m.wordArray([]uint32{1, 2})
		large := m.cString(strings.Repeat("x", 3*scratchSize))
		out := m.Words(2)
		require.Equal(t, "hello", GoString(text))
		require.Equal(t, []Ref{7, 8, 9}, WordsAt(refs, 3))
		require.Equal(t, uint32(2), Word32At(words, 4))
		require.Len(t, GoString(large), 3*scratchSize)
		require.Zero(t, out.At(0)+out.At(1))
		require.Equal(t, byte('e'), ByteAt(text, 1))
		for _, p := range []uintptr{refs, words, out.Addr()} {
			require.Zero(t, p%8)
		}
		require.NotZero(t, m.refArray(nil), "an array of none has an address")
		m.Reset()
		require.Empty(t, m.large)
	}
	require.Empty(t, GoString(0))
}

// TestCallLog: the log has the latest calls, the oldest first, from the beginning of the run.
func TestCallLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := OpenLog(path)
	require.NoError(t, err)
	log.Begin()
	for i := range 100 {
		log.noteCall(fmt.Sprintf("call_%d", i))
	}
	log.noteCall(strings.Repeat("n", 200))
	calls, n, stopped := ReadLog(path)
	require.EqualValues(t, 101, n)
	require.Len(t, calls, logSlots)
	require.Equal(t, "call_70", calls[0])
	require.Equal(t, strings.Repeat("n", logSlotSize-1), calls[logSlots-1])
	require.False(t, stopped)
	log.noteStop(true)
	_, _, stopped = ReadLog(path)
	require.True(t, stopped)
	log.Begin()
	calls, n, stopped = ReadLog(path)
	require.Empty(t, calls)
	require.Zero(t, n)
	require.False(t, stopped)

	require.NoError(t, os.WriteFile(path+"2", []byte("short"), 0o600))
	calls, _, _ = ReadLog(path + "2")
	require.Empty(t, calls)
	(&CallLog{}).noteCall("nowhere")
	var none *CallLog
	none.noteStop(true)
}

// TestShared: the last solver of a term manager gives it back.
func TestShared(t *testing.T) {
	var h Shared
	made := 0
	take := func() Ref { return h.Take(func() Ref { made++; return Ref(40 + made) }) }
	require.EqualValues(t, 41, take())
	require.EqualValues(t, 41, take())
	require.Zero(t, h.Leave())
	require.EqualValues(t, 41, h.Leave())
	require.EqualValues(t, 42, take())
}

// TestPick: without a seed the plain way is taken; with one, all are, and the same ones each time.
func TestPick(t *testing.T) {
	var c choices
	for range 10 {
		require.Zero(t, c.Pick(5))
	}
	draw := func(seed uint64) (out []int) {
		c.rand = seed
		for range 50 {
			out = append(out, c.Pick(3))
		}
		return out
	}
	require.Equal(t, draw(7), draw(7))
	require.NotEqual(t, draw(7), draw(8))
	seen := map[int]bool{}
	for _, n := range draw(9) {
		seen[n] = true
	}
	require.Equal(t, map[int]bool{0: true, 1: true, 2: true}, seen)
	require.Zero(t, c.Pick(1))
}

// TestWhatLibrariesLack checks that an unsupported call names the missing feature and the library.
func TestWhatLibrariesLack(t *testing.T) {
	s := newSession(t, "")
	tr := &s.Translation
	for message, f := range map[string]func(){
		"fake has no datatypes":                        func() { Binding{}.Datatypes(tr, nil) },
		"fake has no recursive functions":              func() { Binding{}.Define(tr, nil) },
		"fake has no datatypes ":                       func() { Binding{}.Select(tr, 0, 0, 0) },
		"fake has no datatypes  ":                      func() { Binding{}.Update(tr, 0, 0, 0, 0) },
		"native fake has no get-proof":                 func() { Binding{}.Ask(s.Session, &smtlib.Command{Kind: smtlib.CmdGetProof}) },
		"native fake has no get-oddity":                func() { Binding{}.Ask(s.Session, &smtlib.Command{Name: "get-oddity"}) },
		"fake has no operator":                         func() { Binding{}.MakeByText(tr, tr.Arena().True(), nil) },
		"fake has no functions that are values":        func() { tr.applyValue(0) },
		"fake has no sort Int":                         func() { panic(tr.NoSort(smt.SortInt)) },
		"fake takes option seed only before the first": func() { Binding{}.SetLate(s.Session, "seed", "1") },
	} {
		func() {
			defer func() {
				fault, ok := recover().(*Fault)
				require.True(t, ok, message)
				require.Contains(t, fault.Message, strings.TrimSpace(message))
				require.NotEqual(t, solvers.Crash, fault.Class)
			}()
			f()
		}()
	}
}
