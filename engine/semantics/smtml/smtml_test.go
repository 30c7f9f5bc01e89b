package smtml_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/smtml"
)

func parse(t require.TestingT, text string) *smtlib.Script {
	s, err := smtlib.Parse("a.smt2", []byte(text), smt.NewArena())
	require.NoError(t, err, text)
	return s
}

func read(t require.TestingT, text string) *smtlib.Script {
	s, err := smtml.Read("a.smtml", text, smt.NewArena())
	require.NoError(t, err, text)
	return s
}

// requireSame requires that both scripts assert what has the same values in random models, where these are known.
func requireSame(t *testing.T, one, other *smtlib.Script) (known int) {
	xs, ys := one.Asserts(), other.Asserts()
	require.Len(t, ys, len(xs))
	for seed := range uint64(4) {
		m := search.RandomModel(one, rng.New(seed))
		n, err := modelreader.Parse(other, m.Text())
		if err != nil { // there are no constants
			return known
		}
		e, f := eval.New(one.Arena, m), eval.New(other.Arena, n)
		e.SetCompletion(true)
		f.SetCompletion(true)
		for i := range xs {
			x, err1 := e.Eval(xs[i])
			y, err2 := f.Eval(ys[i])
			if err1 == nil && err2 == nil {
				known++
				require.Equal(t, x.Text(one.Arena), y.Text(other.Arena), "%s\n%s\n%s", smtlib.TermText(one.Arena, xs[i]), smtlib.TermText(other.Arena, ys[i]), m.Text())
			}
		}
	}
	return known
}

const declarations = `(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(declare-const y Int)(declare-const r Real)(declare-const s String)
(declare-const a (_ BitVec 32))(declare-const b (_ BitVec 32))(declare-const c (_ BitVec 64))(declare-const d (_ BitVec 8))(declare-const f (_ FloatingPoint 8 24))
(declare-const g (_ FloatingPoint 11 53))
`

// TestWritten checks the text for constructs that the format can express.
func TestWritten(t *testing.T) {
	for _, x := range [][2]string{
		{"(and p q (not p))", "(and (and p q) (not p))"},
		{"(=> p q p)", "(or (not p) (or (not q) p))"},
		{"(= x y 1)", "(and (= x y) (= y 1))"},
		{"(distinct x y 1)", "(and (and (distinct x y) (distinct x 1)) (distinct y 1))"},
		{"(< (+ x y 2) (- x) (* x 3))", "(and (int.lt (int.add (int.add x y) 2) (int.neg x)) (int.lt (int.neg x) (int.mul x 3)))"},
		{"(= (mod x 7) (div x y) (abs x))", "(and (= (int.rem x 7) (int.div x y)) (= (int.div x y) (ite (int.ge x 0) x (int.neg x))))"},
		{"(<= r (/ 1 3))", "(real.le r (real.div 1.0 3.0))"},
		{"(> (to_real x) 2.50)", "(real.gt (real.reinterpret_int x) 2.5)"},
		{"(is_int r)", "(= r (real.reinterpret_int (int.reinterpret_real r)))"},
		{`(= (str.substr s 0 x) (str.++ s "a""b" s))`, `(= (str.substr s 0 x) (str.++ (str.++ s "a""b") s))`},
		{`(= (str.from_int x) (str.from_code 65))`, `(= (str.from_int x) (str.from_code 65))`},
		{"(bvult (bvadd a b #x00000001) #xffffffff)", "(i32.lt_u (i32.add (i32.add a b) (i32 1)) (i32 0xffffffff))"},
		{"(= d #x05)", "(= d (extract (i32 5) 0 1))"},
		{"(= ((_ sign_extend 56) d) c)", "(= (i64.extend_i32_s (i32.extend_i24_s d)) c)"},
		{"(= ((_ zero_extend 16) ((_ extract 31 16) a)) b)", "(= (i32.extend_i16_u (extract a 2 4)) b)"},
		{"(= (concat a b) ((_ rotate_left 3) c))", "(= (++ a b) (i64.rotl 3 c))"},
		{"(bvsge (bvnand a b) (bvsdiv a b))", "(i32.ge_s (i32.not (i32.and a b)) (i32.div_s a b))"},
		{"(fp.lt (fp.add RNE f ((_ to_fp 8 24) RNE 0.1)) (fp.roundToIntegral RTP f))", "(f32.lt (f32.add f (f32 0x3dcccccd)) (f32.ceil f))"},
		{"(= g ((_ to_fp 11 53) RNE f))", "(= g (f64.promote_f32 f))"},
		{"(= ((_ fp.to_sbv 32) RTZ g) ((_ fp.to_ubv 32) RTZ f))", "(= (i32.trunc_f64_s g) (i32.trunc_f32_u f))"},
		{"(= ((_ to_fp_unsigned 8 24) RNE a) ((_ to_fp 8 24) a))", "(= (f32.convert_i32_u a) (f32.reinterpret_int a))"},
		{"(distinct f (_ NaN 8 24) (fp #b1 #x00 #b00000000000000000000000))", "(and (and (distinct f (f32 nan)) (distinct f (f32 0x80000000))) (distinct (f32 nan) (f32 0x80000000)))"},
		{"(let ((z (+ x 1))) (= z (! y :named n)))", "(= (int.add x 1) y)"},
	} {
		script := parse(t, declarations+"(assert "+x[0]+")")
		text, err := smtml.Write(script)
		require.NoError(t, err, x[0])
		require.Contains(t, text, "(assert "+x[1]+")\n", x[0])
		back := read(t, text)
		requireSame(t, script, back)
		again, err := smtml.Write(back)
		require.NoError(t, err)
		require.Equal(t, text, again)
	}
}

// TestRefused checks that a construct that the format cannot express gives an error with the operator and the place.
func TestRefused(t *testing.T) {
	for _, x := range [][2]string{
		{"(assert (forall ((z Int)) (> z x)))", "a.smt2:5:1: .smtml cannot say forall"},
		{"(assert (exists ((z Int)) (> z x)))", "exists"},
		{"(declare-fun h (Int) Int)", "functions with arguments, such as h"},
		{"(declare-const v (_ BitVec 7))", "the sort (_ BitVec 7) of v"},
		{"(declare-const v (Array Int Int))", "the sort (Array Int Int) of v"},
		{"(declare-const |a b| Int)", "the name |a b|; rename it"},
		{"(declare-const i32 Int)", "the name i32"},
		{"(assert (= (mod x y) 1))", "mod by what is no positive number"},
		{"(assert (= x 99999999999999999999))", "the number 99999999999999999999"},
		{"(assert (= r 0.1234567890123456789))", "the number 1234567890123456789/10000000000000000000"},
		{`(assert (= s "\u{e9}"))`, "the string"},
		{"(assert (= ((_ extract 3 0) d) #x0))", "(_ extract 3 0)"},
		{"(assert (bvult d d))", "bvult of (_ BitVec 8), (_ BitVec 8)"},
		{"(assert (fp.isZero (fp.add RTZ f f)))", "fp.add of RTZ, (_ FloatingPoint 8 24), (_ FloatingPoint 8 24)"},
		{"(assert (fp.isZero f))", "fp.isZero"},
		{"(assert (str.in_re s re.all))", "re.all"},
		{"(get-value (x))", "the command get-value"},
		{"(reset)", "the command reset"},
	} {
		_, err := smtml.Write(parse(t, declarations+"\n"+x[0]))
		require.ErrorContains(t, err, x[1], x[0])
	}
	var b strings.Builder
	b.WriteString(declarations + "(assert (let ((v0 (+ x 1)))")
	for i := range 30 {
		b.WriteString(" (let ((v" + strings.Repeat("a", i+1) + " (+ v" + map[bool]string{true: "0", false: strings.Repeat("a", i)}[i == 0] + " v" + map[bool]string{true: "0", false: strings.Repeat("a", i)}[i == 0] + ")))")
	}
	b.WriteString(" (= x v" + strings.Repeat("a", 30) + ")" + strings.Repeat(")", 32))
	_, err := smtml.Write(parse(t, b.String()))
	require.ErrorContains(t, err, "cannot say let")
}

// TestRead: other spellings, and operators that are several of SMT-LIB.
func TestRead(t *testing.T) {
	const declared = "(let-const p bool)(let-const x int)(let-const y int)(let-const a i32)(let-const c i64)(let-const f f32)(let-const r real)(let-const s str)\n"
	for _, x := range [][2]string{
		{"(bool.ite (bool.eq x 4) (bool.not p) (int.ge_s x -5))", "(ite (= x 4) (not p) (>= x (- 5)))"},
		{"(= (int.rem x 3) (int.rem x y))", "(= (mod x 3) (ite (>= y 0) (mod x y) (- (mod x y))))"},
		{"(= (i32.wrap_i64 c) (i32.of_bool p))", "(= ((_ extract 31 0) c) (ite p #x00000001 #x00000000))"},
		{"(i32.to_bool (Ptr (i32 8) a))", "(distinct (bvadd #x00000008 a) #x00000000)"},
		{"(= a (i32 -1))", "(= a #xffffffff)"},
		{"(f32.ne f (f32 0.504))", "(not (fp.eq f (fp #b0 #x7e #b00000010000011000100101)))"},
		{"(= (real.min r 4.0) (real.abs r))", "(= (ite (<= r 4.0) r 4.0) (ite (>= r 0.0) r (- r)))"},
		{`(= (str.++ s "x" s) s)`, `(= (str.++ s "x" s) s)`},
	} {
		script := read(t, declared+"(assert "+x[0]+")")
		require.Equal(t, x[1], smtlib.TermText(script.Arena, script.Asserts()[0]), x[0])
	}
	script := read(t, "(set-logic QF_BVFP) ; a comment\n(let-const x i32)\n(push)\n(assert (= x (i32 0xff)))\n(check-sat)\n(get-model)\n(pop 1)\n")
	require.Equal(t, "(set-logic QF_BVFP)\n(declare-const x (_ BitVec 32))\n(push 1)\n(assert (= x #x000000ff))\n(check-sat)\n(get-model)\n(pop 1)\n", script.Text())
	zeros := read(t, "(let-const x i32)(assert (= (i32.clz x) (i32 27)))(assert (= x (i32 16)))")
	m, err := modelreader.Parse(zeros, "(define-fun x () (_ BitVec 32) #x00000010)")
	require.NoError(t, err)
	require.Equal(t, "true", eval.CheckModel(zeros, m).Result.String())

	for _, x := range [][2]string{
		{"(assert", "a.smtml:1:"},
		{"(assert (and p z))", `a.smtml:1:14: "p" is not declared`},
		{"(let-const p bool)\n(assert (and p))", "a.smtml:2:9: and takes 2 arguments, this has 1"},
		{"(let-const p bool)(let-const p bool)", "declared twice"},
		{"(let-const p list)", `"list" is no type`},
		{"(let-const and bool)", `"and" is no name`},
		{"(let-const x int)(assert (i32.lt x x))", "i32.lt takes arguments of type i32, not Int"},
		{"(let-const x int)(assert (= x true))", "a.smtml:1:26: "},
		{"(let-const x i32)(assert (extract x 3 1))", "extract takes"},
		{"(let-const x i32)(assert (= x (i32 4294967296)))", "no constant of type i32"},
		{"(let-const x real)(assert (real.is_nan x))", "is meant for floating-point numbers in SMT-LIB"},
		{"(assert 5)", "an assertion has to be a bool, this is of sort Int"},
		{"(declare-const x Int)", "is no command of .smtml"},
		{"(push)(pop)", "pop takes 1 arguments"},
		{"(pop -1)", "want a number of levels"},
		{"(assert ())", "is no expression"},
	} {
		_, err := smtml.Read("a.smtml", x[0], smt.NewArena())
		require.ErrorContains(t, err, x[1], x[0])
	}
	deep := "(let-const p bool)(assert " + strings.Repeat("(not ", 100_000) + "p" + strings.Repeat(")", 100_000) + ")"
	text, err := smtml.Write(read(t, deep))
	require.NoError(t, err)
	require.Equal(t, 100_000, strings.Count(text, "(not "))
}

// TestSeeds: real problems come back with the same meaning, where the format can say them.
func TestSeeds(t *testing.T) {
	folder := os.Getenv("SMTLARK_SEEDS")
	if folder == "" {
		t.Skip("SMTLARK_SEEDS names no folder of seeds")
	}
	said, refused, known := 0, 0, 0
	for _, logic := range []string{"QF_LIA", "QF_LRA", "QF_NRA", "QF_S", "QF_SLIA", "QF_BV", "QF_FP", "QF_BVFP", "QF_AX"} {
		files, err := filepath.Glob(filepath.Join(folder, logic, "*", "*.smt2"))
		require.NoError(t, err)
		for i, file := range files {
			if i%max(1, len(files)/40) != 0 {
				continue
			}
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			if len(src) > 1<<18 {
				continue
			}
			script := parse(t, string(src))
			text, err := smtml.Write(script)
			if err != nil {
				require.ErrorContains(t, err, ".smtml cannot say ", file)
				refused++
				continue
			}
			said++
			back := read(t, text)
			known += requireSame(t, script, back)
			again, err := smtml.Write(back)
			require.NoError(t, err)
			require.Equal(t, comments(text), comments(again), file)
		}
	}
	t.Logf("%d files said, %d refused; %d values compared", said, refused, known)
	require.Greater(t, said, 40)
	require.Greater(t, known, 1000)
}

// comments takes the comments out.
func comments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, ";") {
			b.WriteString(line)
		}
	}
	return b.String()
}
