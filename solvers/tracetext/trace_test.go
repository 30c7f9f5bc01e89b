package tracetext_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

const traced = `(set-option :produce-models true)
(set-logic ALL)
(declare-sort U 0)
(declare-datatypes ((List 1) (T 0)) ((par (X) ((nil) (cons (hd X) (tl (List X))))) ((a) (b (f Int)))))
(declare-fun g (U Int) Real)
(declare-const |x y| Int)
(declare-const u U)
(declare-const l (List Int))
(define-fun h ((z Int)) Int (+ z |x y|))
(define-fun-rec len ((z (List Int))) Int (ite ((_ is nil) z) 0 (+ 1 (len (tl z)))))
(push 2)
(assert (! (> (g u (h 3)) 2.5) :named n1))
(assert (forall ((v Int) (w (_ BitVec 8))) (or (= v |x y|) (= w ((_ extract 7 0) #x1234)))))
(assert (= l (as nil (List Int))))
(assert (match l ((nil true) ((cons p q) (= p 1)))))
(assert (= (select ((as const (Array Int Int)) 7) 3) (len l)))
(assert (str.in_re "a\u{1}""b" (re.+ (re.range "a" "z"))))
(assert n1)
(check-sat-assuming ((= |x y| 1) (not n1)))
(get-value (|x y| (h 2)))
(pop 1)
(check-sat)
(get-info :name)
(echo "hello ""you""")
(reset-assertions)
(get-interpolant A (> |x y| 1))
(exit)
`

func TestTraceTextGoesRound(t *testing.T) {
	script, err := smtlib.Parse("s", []byte(traced), smt.NewArena())
	require.NoError(t, err)
	first := solvers.TraceOf(script)
	first.Notes = []string{"seed 7"}
	first.Calls = append([]solvers.Call{{Kind: solvers.CallMakeSort, Sort: smt.SortInt, Seed: 255}}, first.Calls...)
	text := tracetext.Text(first)
	second, err := tracetext.Read([]byte(text), nil)
	require.NoError(t, err, text)
	require.Equal(t, script.Text(), second.Script("s").Text(), text)
	require.Equal(t, []string{"seed 7"}, second.Notes)
	again := tracetext.Text(second)
	require.Equal(t, text, again, "reading and writing is the identity on what was written")
	require.Contains(t, text, "ff mk-sort \"Int\"\nreturn s1\n")
}

// TestTraceOfSeeds sends many real scripts through the text.
// Functions that are values have heads of their own in traces.
func TestTraceOfFunctions(t *testing.T) {
	for _, text := range []string{
		`(set-logic HO_ALL)(declare-fun f (Int Bool) Int)(declare-const p (-> Bool Int))(define-fun d ((x Bool)) Int (ite x 1 0))
(assert (= (f 1) p d (lambda ((x Bool)) (f 2 x))))(assert (exists ((h (-> Int Int))) (= (h 1) (@ (f 3) true))))(check-sat)(get-value (p (@ f 1)))`,
		`(set-logic ALL)(declare-fun f (Int Bool) Int)(declare-fun k (Int) Int)(declare-const a (Array Int Int))(declare-const b (Array Int Bool))
(assert (= ((_ map f) a b) (_ as-array k) (lambda ((i Int)) (select a (+ i 1)))))(check-sat)`,
	} {
		script, err := smtlib.Parse("s", []byte(text), smt.NewArena())
		require.NoError(t, err)
		written := tracetext.Text(solvers.TraceOf(script))
		require.NotContains(t, written, "opaque:")
		back, err := tracetext.Read([]byte(written), nil)
		require.NoError(t, err, written)
		require.Equal(t, script.Text(), back.Script("s").Text(), written)
		require.Equal(t, written, tracetext.Text(back))
	}
}

func TestTraceOfSeeds(t *testing.T) {
	root := os.Getenv("SMTLARK_SEEDS")
	if root == "" {
		root = filepath.Join("..", "..", "stdlib", "seeds")
	}
	n := 0
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".smt2") || n > 150 {
			return err
		}
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		if len(src) > 20000 {
			return nil
		}
		n++
		script, err := smtlib.Parse(file, src, smt.NewArena())
		require.NoError(t, err)
		back, err := tracetext.Read(tracetext.AppendTo(nil, solvers.TraceOf(script)), nil)
		require.NoError(t, err, file)
		if strings.Contains(string(src), "declare-fun") && !strings.Contains(string(src), "declare-const") {
			want := strings.ReplaceAll(script.Text(), "() ", "")
			got := strings.ReplaceAll(back.Script(file).Text(), "declare-const", "declare-fun")
			require.Equal(t, want, strings.ReplaceAll(got, "() ", ""), file)
		}
		return nil
	}))
	require.Positive(t, n)
}

func TestTraceErrors(t *testing.T) {
	for text, want := range map[string]string{
		"x new":                       `line 1: "x" is no seed`,
		"0 mk-sort \"Foo\"":           "mk-sort",
		"0 assert-formula t1":         "there is no term t1",
		"0 fly away":                  "there is no such action",
		"0 ?maybe check-sat":          "is no answer",
		"# a\n0 push":                 "line 2: push: the number of levels is missing",
		"0 mk-sort \"Int\"\nreturn t": "want an id that begins with s",
	} {
		_, err := tracetext.Read([]byte(text), nil)
		require.ErrorContains(t, err, want, text)
	}
	// A death leaves the last call without its return.
	tr, err := tracetext.Read([]byte("0 mk-sort \"Int\"\nreturn s1\n0 mk-const s1 \"x\"\n"), nil)
	require.NoError(t, err)
	require.Len(t, tr.Calls, 2)
}
