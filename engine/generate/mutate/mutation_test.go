package mutate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/generate/mutate"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

func subject(t testing.TB, text string) *mutate.Subject {
	x, err := mutate.NewSubject(parse(t, text))
	require.NoError(t, err)
	return x
}

func operators(t testing.TB, text string) *mutate.Operators {
	c, err := mutate.ParseOperators(text)
	require.NoError(t, err)
	return c
}

// heads makes many mutants and returns the different assertions, sorted.
func heads(t testing.TB, text string, c *mutate.Operators, keepLogic bool) []string {
	x := subject(t, text)
	r := rng.New(1)
	var out []string
	for range 200 {
		m, err := x.MutateOperators(r, c, 1, keepLogic)
		require.NoError(t, err)
		if m == nil {
			continue
		}
		s := strings.Join(texts(m.Script.Arena, m.Script.Asserts()), " ")
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

func TestClassesOfOperators(t *testing.T) {
	const decl = "(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(declare-const v (_ BitVec 4))"
	for _, c := range []struct {
		name, classes, formula string
		want                   []string
	}{
		{"replace each other", "<,<=,>", "(< x 1)", []string{"(<= x 1)", "(> x 1)"}},
		{"arity does not hold", "and,or,=> :arity 3+", "(and p q)", nil},
		{"arity holds", "and,or,=> :arity 3+\nand,xor :arity 2", "(and p q q)", []string{"(=> p q q)", "(or p q q)"}},
		{"the class whose condition holds", "and,or,=> :arity 3+\nand,xor :arity 2", "(and p q)", []string{"(xor p q)"}},
		{"at most", "abs,- :arity 1-", "(= (- x) (- x 1))", []string{"(= (abs x) (- x 1))"}},
		{"one way", "bvor -> bvand", "(= (bvor v v) (bvand v #x1))", []string{"(= (bvand v v) (bvand v #x1))"}},
		{"to one argument", "not -> and,or", "(not p)", []string{"p"}},
		{"quantifiers", "exists,forall", "(exists ((i Int)) (> i x))", []string{"(forall ((i Int)) (> i x))"}},
		{"below let and quantifiers", "bvadd,bvmul", "(forall ((w (_ BitVec 4))) (let ((z (bvadd w v))) (= z (bvnot z))))",
			[]string{"(forall ((w (_ BitVec 4))) (= (bvadd w v) (bvnot (bvmul w v))))", "(forall ((w (_ BitVec 4))) (= (bvmul w v) (bvnot (bvadd w v))))"}},
		{"never against the sorts", "bvadd,bvult,concat", "(= (bvadd v v) v)", nil},
		{"indices stay", "zero_extend,sign_extend", "(= ((_ zero_extend 2) v) #b000000)", []string{"(= ((_ sign_extend 2) v) #b000000)"}},
		{"a comment", "; nothing\n<,<= ; :arity 7", "(< x 1)", []string{"(<= x 1)"}},
	} {
		require.Equal(t, c.want, heads(t, decl+"(assert "+c.formula+")(check-sat)", operators(t, c.classes), false), c.name)
	}
}

func TestClassesThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"<,<=\nfoo,bar": `line 2, "foo,bar": "foo" is no operator`,
		"<":             "at least two",
		"<,<= :arity x": `arity "x"`,
		"; only this":   "no class",
	} {
		_, err := mutate.ParseOperators(text)
		require.ErrorContains(t, err, want)
	}
}

func TestYinYangsFileOfClasses(t *testing.T) {
	// The following lines are from the file shipped with opfuzz, where none of them works as written.
	c := operators(t, "not -> and,or\nand,or,=> :arity 3+\nand,or,=>,xor :arity 2\nabs,- :arity 1\nunion,intersection,setminus\nre.none,re.all,re.allchar\nexists,forall")
	require.Equal(t, 7, c.Len())
	require.Equal(t, []string{"(str.in_re s re.all)", "(str.in_re s re.allchar)"},
		heads(t, "(declare-const s String)(assert (str.in_re s re.none))(check-sat)", c, false))
}

// TestLogicOfMutants checks that a mutant belongs to its logic, or gets one that it belongs to.
func TestLogicOfMutants(t *testing.T) {
	for _, c := range []struct{ logic, formula, classes, keepLogic, free string }{
		{"QF_LIA", "(< (+ x y) 3)", "+,*", "", "QF_NIA"},
		{"QF_LIA", "(< (+ x 2) 3)", "+,*", "QF_LIA", "QF_LIA"},
		{"QF_IDL", "(< (- x y) 3)", "-,+", "", "QF_LIA"},
		{"QF_AUFLIA", "(< (+ x y) 3)", "+,mod", "", "QF_AUFNIA"},
		{"QF_FP", "(fp.lt f f)", "fp.lt,fp.leq", "QF_FP", "QF_FP"},
		{"ALL", "(< (+ x y) 3)", "+,*", "ALL", "ALL"},
		{"QF_SLIA", "(< (+ x y) 3)", "+,*", "", "QF_SNIA"},
	} {
		text := "(set-logic " + c.logic + ")(declare-const x Int)(declare-const y Int)(declare-const f (_ FloatingPoint 3 5))(assert " + c.formula + ")(check-sat)"
		for keepLogic, want := range map[bool]string{true: c.keepLogic, false: c.free} {
			m, err := subject(t, text).MutateOperators(rng.New(3), operators(t, c.classes), 1, keepLogic)
			require.NoError(t, err)
			got := ""
			if m != nil {
				got = m.Script.Logic()
			}
			require.Equal(t, want, got, "%s %s, keepLogic %v", c.logic, c.formula, keepLogic)
		}
	}
}

const scopes = `(set-logic UFLIA)(declare-fun f (Int) Int)(declare-const p Int)
	(assert (and (> p 0) (forall ((x Int) (b Bool)) (exists ((y Int)) (=> b (> (f (+ x y)) p))))))
	(assert (forall ((x Bool)) (or x (exists ((y Int)) (! (= (f y) 0) :pattern ((f y)))))))
	(assert (! (> p 7) :named n))(check-sat)(get-unsat-core)`

// TestGeneratedTermsStayInScope reads mutants back: a variable outside of its binder would be an unknown symbol, or,
// under a binder of its name and another sort, an ill-sorted one.
func TestGeneratedTermsStayInScope(t *testing.T) {
	x := subject(t, scopes)
	rapid.Check(t, func(t *rapid.T) {
		r := rng.New(rapid.Uint64().Draw(t, "seed"))
		m, err := x.Generate(r, mutate.AnySignature(), rapid.IntRange(1, 12).Draw(t, "times"), rapid.IntRange(1, 4).Draw(t, "depth"), rapid.Bool().Draw(t, "stay"))
		require.NoError(t, err)
		require.NotNil(t, m)
		_, err = smtlib.Parse("mutant", []byte(m.Script.Text()), smt.NewArena())
		require.NoError(t, err, m.Script.Text())
		require.NotContains(t, m.Script.Text(), "named", "names of terms that changed mean nothing")
	})
}

// TestLiteralsOfBitVectorsBringNoOperators: QF_FP has bit vectors only as the literals from which values are made. A
// mutant that does more with them has another logic, or is none where it has to keep the one of its seed.
func TestLiteralsOfBitVectorsBringNoOperators(t *testing.T) {
	x := subject(t, "(set-logic QF_FP)(declare-const f (_ FloatingPoint 3 5))(assert (fp.lt f (fp #b0 #b011 #b0101)))(check-sat)")
	others := 0
	for seed := range uint64(200) {
		for _, keepLogic := range []bool{true, false} {
			m, err := x.Generate(rng.New(seed), mutate.AnySignature(), 2, 2, keepLogic)
			require.NoError(t, err)
			if m == nil {
				continue
			}
			text := m.Script.Text()
			if m.Script.Logic() != "QF_FP" {
				require.False(t, keepLogic, text)
				others++
				continue
			}
			require.NotRegexp(t, `\((bv|concat|\(_ (extract|zero_extend|sign_extend|rotate_left|rotate_right|repeat))`, text)
		}
	}
	require.Positive(t, others)
}

func TestSignatures(t *testing.T) {
	s, err := mutate.ParseSignatures("; funs\n(par (A) (id A A))\n(- Int Int) ; negation\n(bvadd A A A :left-assoc)\n")
	require.NoError(t, err)
	require.Equal(t, 2, s.Len())
	for text, want := range map[string]string{
		"(foo Int Int)": `"foo" is no operator`, "abs Int": "want (name sorts... sort)", "(abs)": "no sort", "; none": "no signature",
	} {
		_, err := mutate.ParseSignatures(text)
		require.ErrorContains(t, err, want, text)
	}
	only, err := mutate.ParseSignatures("(abs Int Int)")
	require.NoError(t, err)
	x := subject(t, "(declare-const x Int)(declare-const y Real)(assert (and (< x 3) (< y 4.0)))(check-sat)")
	r := rng.New(1)
	for range 50 {
		m, err := x.Generate(r, only, 1, 1, false)
		require.NoError(t, err)
		require.Regexp(t, `\(abs [x3]\)`, smtlib.TermText(m.Script.Arena, m.Script.Asserts()[0]), "of Int, nothing else")
	}
}

// TestMutantsDoNotDependOnWhatCameBefore makes the same mutant of a subject that is fresh and of one that made others.
func TestMutantsDoNotDependOnWhatCameBefore(t *testing.T) {
	make := func(x *mutate.Subject, seed uint64) string {
		m, err := x.MutateOperators(rng.New(seed), anyOps, 3, seed%2 == 0)
		require.NoError(t, err)
		g, err := x.Generate(rng.New(seed), anySigs, 3, 2, seed%2 == 0)
		require.NoError(t, err)
		return m.Script.Text() + g.Script.Text()
	}
	used := subject(t, scopes)
	for seed := range uint64(40) {
		require.Equal(t, make(subject(t, scopes), seed), make(used, seed))
	}
}

var (
	anyOps  = mutate.AnyOperator()
	anySigs = mutate.AnySignature()
)

func TestGrammar(t *testing.T) {
	g, err := mutate.NewGrammar([]string{"B", "I"}, [][]string{{"(not B)", "(< I I)", "p"}, {"x", "0", "(+ I I)"}})
	require.NoError(t, err)
	seen := map[string]bool{}
	last, counted := 0, map[int]uint64{}
	for n := range uint64(5000) {
		text, size, ok := g.At(n)
		require.True(t, ok)
		require.GreaterOrEqual(t, size, last, "small ones first")
		require.False(t, seen[text], text)
		seen[text], last = true, size
		counted[size]++
	}
	for size, n := range counted {
		if size < last {
			require.Equal(t, g.Count(size), n)
		}
	}
	require.True(t, seen["(not (< (+ x 0) 0))"] && seen["p"])
	_, _, ok := g.At(1 << 62)
	require.True(t, ok, "counting does not overflow")

	finite, err := mutate.NewGrammar([]string{"S"}, [][]string{{"a", "b"}})
	require.NoError(t, err)
	_, _, ok = finite.At(2)
	require.False(t, ok)
	endless, err := mutate.NewGrammar([]string{"S"}, [][]string{{"(f S)"}})
	require.NoError(t, err)
	_, _, ok = endless.At(0)
	require.False(t, ok, "there is no text without an end")
	_, err = mutate.NewGrammar([]string{"S"}, [][]string{{"(f S"}})
	require.ErrorContains(t, err, "S-expression")
}

// seedTexts returns real seeds, or a few made ones.
func seedTexts(t testing.TB) []string {
	dir := os.Getenv("SMTLARK_SEEDS")
	if dir == "" {
		return []string{scopes, "(set-logic QF_BV)(declare-const a (_ BitVec 32))(declare-const b (_ BitVec 32))(assert (= (bvadd a (bvmul b #x00000003)) (bvsub #x00000007 b)))(assert (bvult ((_ extract 7 0) a) #x10))(check-sat)"}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.smt2"))
	require.NoError(t, err)
	var out []string
	for i, f := range files {
		if i%5 == 0 {
			text, err := os.ReadFile(f)
			require.NoError(t, err)
			out = append(out, string(text))
		}
	}
	return out
}

func benchmarkMutants(b *testing.B, mutant func(x *mutate.Subject, r *rng.Source) (*mutate.Mutant, error)) {
	var xs []*mutate.Subject
	var arenas []*smt.Arena
	var marks []smt.Mark
	for _, text := range seedTexts(b) {
		s, err := smtlib.Parse("seed", []byte(text), smt.NewArena())
		require.NoError(b, err)
		x, err := mutate.NewSubject(s)
		require.NoError(b, err)
		xs, arenas, marks = append(xs, x), append(arenas, s.Arena), append(marks, s.Arena.Mark())
	}
	r := rng.New(1)
	var p smtlib.Printer
	var buf []byte
	bytes := 0
	for range 2 { // the first round prepares the subjects
		for i, x := range xs {
			_, err := mutant(x, r)
			require.NoError(b, err)
			arenas[i].Release(marks[i])
		}
	}
	for i := 0; b.Loop(); i++ {
		k := i % len(xs)
		m, err := mutant(xs[k], r)
		if err != nil {
			b.Fatal(err)
		}
		if m != nil {
			buf = p.Script(buf[:0], m.Script)
			bytes += len(buf)
		}
		arenas[k].Release(marks[k])
	}
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes/mutant")
}

// BenchmarkOperators makes mutants with two operators changed, as text.
func BenchmarkOperators(b *testing.B) {
	benchmarkMutants(b, func(x *mutate.Subject, r *rng.Source) (*mutate.Mutant, error) {
		return x.MutateOperators(r, anyOps, 2, true)
	})
}

// BenchmarkGenerate makes mutants with two terms replaced, as text.
func BenchmarkGenerate(b *testing.B) {
	benchmarkMutants(b, func(x *mutate.Subject, r *rng.Source) (*mutate.Mutant, error) {
		return x.Generate(r, anySigs, 2, 2, true)
	})
}

// BenchmarkSetUp reads a seed and prepares it for both: everything that happens once a seed.
func BenchmarkSetUp(b *testing.B) {
	seeds := seedTexts(b)
	r := rng.New(1)
	for i := 0; b.Loop(); i++ {
		s, err := smtlib.Parse("seed", []byte(seeds[i%len(seeds)]), smt.NewArena())
		if err != nil {
			b.Fatal(err)
		}
		x, err := mutate.NewSubject(s)
		if err == nil {
			_, err = x.MutateOperators(r, anyOps, 1, true)
		}
		if err == nil {
			_, err = x.Generate(r, anySigs, 1, 1, true)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
