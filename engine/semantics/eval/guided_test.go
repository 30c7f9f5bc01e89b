package eval_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// TestGuidedModel solves small formulas of each theory, with any of some seeds.
func TestGuidedModel(t *testing.T) {
	for name, text := range map[string]string{
		"lia":        "(declare-const x Int)(declare-const y Int)(assert (= (+ (* 3 x) y) 100))(assert (> x 10))(assert (< y x))(assert (= (mod y 5) 2))",
		"lra":        "(declare-const x Real)(declare-const y Real)(assert (= (/ x 3.0) (- y 0.5)))(assert (and (< 1.0 y) (< y 1.25)))",
		"bool":       "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(assert (xor p q r))(assert (=> p (not q)))(assert (ite r (and p q) (or p q)))",
		"bv":         "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))(assert (= (bvmul x #x00000007) #x12345678))(assert (= ((_ extract 7 0) (bvxor x y)) #xff))(assert (bvslt y #x00000000))",
		"wide":       "(declare-const x (_ BitVec 100))(declare-const y (_ BitVec 28))(assert (= (concat x y) (bvshl (_ bv77 128) (_ bv60 128))))",
		"fp":         "(declare-const x Float32)(declare-const y Float32)(assert (fp.lt x y))(assert (fp.isSubnormal x))(assert (= (fp.add RNE y y) ((_ to_fp 8 24) RNE 3.0)))",
		"string":     `(declare-const s String)(declare-const t String)(assert (= (str.++ s t) "hello world"))(assert (= (str.len s) 5))(assert (str.in_re t (re.++ (str.to_re " ") (re.+ (re.range "a" "z")))))`,
		"regex":      `(declare-const s String)(assert (str.in_re s (re.inter (re.+ (re.range "0" "9")) (re.comp (re.++ re.all (str.to_re "00") re.all)) ((_ re.loop 6 8) re.allchar))))(assert (not (= s "")))`,
		"array":      "(declare-const a (Array Int Int))(declare-const i Int)(assert (= (select a 3) 5))(assert (= (select a i) 6))(assert (= (store a 7 1) (store a i 1)))",
		"uf":         "(declare-fun f (Int) Int)(declare-const x Int)(assert (= (f x) 3))(assert (= (f 3) 4))(assert (distinct (f 0) (f 1) x))",
		"datatype":   "(declare-datatype L ((nil) (cons (hd Int) (tl L))))(declare-const l L)(assert ((_ is cons) l))(assert (= (hd (tl l)) 7))(assert ((_ is cons) (tl l)))",
		"elements":   "(declare-sort U 0)(declare-const a U)(declare-const b U)(declare-fun p (U) Bool)(assert (p a))(assert (= a b))",
		"seq":        "(declare-const s (Seq Int))(assert (= (seq.len s) 4))(assert (= (seq.nth s 2) 9))",
		"set":        "(declare-const s (Set Int))(assert (set.member 3 s))(assert (not (set.member 4 s)))",
		"defined":    "(declare-const x Int)(define-fun y () Int (+ x 1))(assert (! (= y 41) :named h))(assert (> x 0))",
		"quantifier": "(declare-const n Int)(assert (forall ((i Int)) (=> (and (<= 0 i) (< i 3)) (< (* i i) n))))",
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4) {
				s := parseScript(t, text)
				m, r := search.GuidedModel(s, rng.New(seed), 4000)
				v := eval.CheckModel(s, m)
				require.Equal(t, r, v.Result, v.String(s.Arena))
				require.Equal(t, value.True, r, "seed %d\n%s\n%s", seed, v.String(s.Arena), m.Text())
				// The same seed gives the same model.
				again := parseScript(t, text)
				n, _ := search.GuidedModel(again, rng.New(seed), 4000)
				require.Equal(t, m.Text(), n.Text())
			}
		})
	}
}

// TestRandomModelInterpretsAll makes models of everything that scripts of all sorts declare; their text is read back.
func TestRandomModelInterpretsAll(t *testing.T) {
	s := parseScript(t, `(declare-sort U 0)(declare-sort P 1)(declare-datatypes ((T 0) (F 0)) (((leaf (v Int)) (node (fs F))) ((nil) (cons (t T) (f F)))))
		(declare-const a T)(declare-const b (Array U (Array Bool Real)))(declare-const c (Seq (Seq String)))(declare-const d (Set (_ BitVec 9)))
		(declare-const e (Bag U))(declare-const f (_ FiniteField 13))(declare-const g (_ FloatingPoint 5 11))(declare-const h RoundingMode)
		(declare-const i (P Int))(declare-fun j (U Int) T)(declare-const k (_ FloatingPoint 15 113))(declare-const l (_ BitVec 200))(declare-const m Bool)`)
	for seed := range uint64(200) {
		m := search.RandomModel(s, rng.New(seed))
		require.Equal(t, 13, m.Len())
		require.Equal(t, m.Text(), search.RandomModel(s, rng.New(seed)).Text())
		back, err := modelreader.Parse(s, m.Text())
		require.NoError(t, err)
		require.Equal(t, m.Text(), back.Text())
		for _, c := range m.Symbols() {
			v, ok := m.Value(c)
			if !ok {
				continue
			}
			require.True(t, v.IsValue())
			w, _ := back.Value(c)
			require.Equal(t, value.True, value.Equal(v, w), "%s\n%s", v.Text(s.Arena), w.Text(s.Arena))
			require.Equal(t, value.HashAll([]value.Value{v}), value.HashAll([]value.Value{w}))
			require.Zero(t, value.Compare(v, w))
		}
	}
}

// TestGuidedSeeds counts for how many satisfiable seeds local search finds a model.
func TestGuidedSeeds(t *testing.T) {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		t.Skip("SMTLARK_SEEDS is not set")
	}
	logics := "*"
	if l := os.Getenv("SMTLARK_LOGICS"); l != "" {
		logics = l
	}
	dirs, err := filepath.Glob(filepath.Join(dir, logics, "sat"))
	require.NoError(t, err)
	for _, d := range dirs {
		files, err := filepath.Glob(filepath.Join(d, "*.smt2"))
		require.NoError(t, err)
		steps := 2000
		if os.Getenv("SMTLARK_DEEP") == "" { // the whole set takes minutes
			files, steps = files[:min(len(files), 1)], 500
		}
		solved, start := 0, time.Now()
		for i, f := range files {
			src, err := os.ReadFile(f)
			require.NoError(t, err)
			s, err := smtlib.Parse(f, src, smt.NewArena())
			require.NoError(t, err)
			m, r := search.GuidedModel(s, rng.New(uint64(i)), steps)
			if r == value.True {
				solved++
				require.Equal(t, value.True, eval.CheckModel(s, m).Result, f)
			}
			require.NotContains(t, f, "/unsat/")
		}
		t.Logf("%-12s %3d of %3d, %v", filepath.Base(filepath.Dir(d)), solved, len(files), time.Since(start).Round(time.Millisecond))
	}
}

// TestGuidedBVIteOfOtherSorts: bvite takes operands of any sort, which the ways down through bit vectors must not take
// for theirs.
func TestGuidedBVIteOfOtherSorts(t *testing.T) {
	const text = "(declare-const c (_ BitVec 1))(declare-const r Real)(declare-const p Bool)" +
		"(assert (= (bvite c r 2.0) 3.0))(assert (bvite c p false))(assert (distinct (bvite c 1.0 0.0) 2.0))"
	s, err := smtlib.Parse("bvite", []byte(text), smt.NewArena())
	require.NoError(t, err)
	for seed := range uint64(20) {
		search.GuidedModel(s, rng.New(seed), 1000)
	}
}
