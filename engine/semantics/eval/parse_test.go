package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

func readScript(t testing.TB, file string) *smtlib.Script {
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := smtlib.Parse(file, src, smt.NewArena())
	require.NoError(t, err)
	return s
}

// expectedVerdict says which models of testdata cannot be decided: irrational numbers, and models of cvc4 and cvc5
// that do not say what division by zero is.
func expectedVerdict(name, solver string) value.Truth {
	if name == "irrational" || name == "partial" && strings.HasPrefix(solver, "cvc") {
		return value.Unknown
	}
	return value.True
}

// TestReplies checks models that solvers printed for the scripts in testdata/models.
func TestReplies(t *testing.T) {
	files, err := filepath.Glob("testdata/models/*.reply")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name, solver, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".reply"), ".")
		t.Run(name+"/"+solver, func(t *testing.T) {
			s := readScript(t, "testdata/models/"+name+".smt2")
			reply, err := os.ReadFile(file)
			require.NoError(t, err)
			m, err := modelreader.Parse(s, string(reply))
			require.NoError(t, err)
			checkReply(t, s, m, expectedVerdict(name, solver))
		})
	}
}

func checkReply(t *testing.T, s *smtlib.Script, m *model.Model, want value.Truth) {
	v := eval.CheckModel(s, m)
	require.Equal(t, want, v.Result, v.String(s.Arena))
	require.Equal(t, v.Result == value.True, v.Assert < 0)
	if want != value.True {
		return
	}
	require.Equal(t, m.Text(), m.Clone().Text())
	again, err := modelreader.Parse(s, m.Text())
	require.NoError(t, err, m.Text())
	require.Equal(t, m.Text(), again.Text())
	require.Equal(t, value.True, eval.CheckModel(s, again).Result)
	// A model of a changed script is false, and says where.
	asserts := s.Asserts()
	last := s.Arena.Not(asserts[len(asserts)-1])
	v = eval.CheckModel(scope.WithAsserts(s, append(asserts[:len(asserts)-1:len(asserts)-1], last)), m)
	require.Equal(t, value.False, v.Result)
	require.Equal(t, len(asserts)-1, v.Assert)
	require.Equal(t, last, v.Values[0].Term)
	require.Equal(t, "false", v.Values[0].Value.Text(s.Arena))
}

// TestLiveReplies does the same with the solvers of this machine.
func TestLiveReplies(t *testing.T) {
	files, err := filepath.Glob("testdata/models/*.smt2")
	require.NoError(t, err)
	for _, solver := range modelSolvers(t) {
		if strings.Contains(solver.name, "-") {
			continue
		}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".smt2")
			if stored, _ := filepath.Glob("testdata/models/" + name + "." + solver.name + "-*"); len(stored) == 0 {
				continue // the solver does not take the script, or does not solve it
			}
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			reply := solver.ask(t, "", string(src)+"(check-sat)(get-model)")
			answer, reply, _ := strings.Cut(reply, "\n")
			if answer != "sat" {
				continue
			}
			t.Run(name+"/"+solver.name, func(t *testing.T) {
				s := readScript(t, file)
				m, err := modelreader.Parse(s, reply)
				require.NoError(t, err)
				checkReply(t, s, m, expectedVerdict(name, solver.name))
			})
		}
	}
}

func TestParseValues(t *testing.T) {
	s := parseScript(t, "(declare-sort U 0)(declare-const x Int)(declare-const u U)(declare-const v U)(declare-fun f (Int) Real)(declare-const r Real)")
	got, err := modelreader.ParseValues(s, nil, "((x (- 3)) ((f 1) (/ 1 3)) ((+ x 1) (- 2)) (u (as @U_0 U)) (v (as @U_4 U)) (r (root-obj (+ (^ x 2) (- 2)) 1)))")
	require.NoError(t, err)
	var texts []string
	for _, p := range got {
		texts = append(texts, s.Arena.Brief(p.Term)+" "+p.Value.Text(s.Arena))
	}
	require.Equal(t, []string{"x (- 3)", "(f 1) (/ 1.0 3.0)", "(+ x 1) (- 2)", "u (as @U!0 U)", "v (as @U!1 U)"}, texts[:5])
	require.ErrorIs(t, got[5].Value.Err(), value.ErrUnknown)

	given, err := modelreader.Parse(s, "((x 4) ((f 1) 2.5))")
	require.NoError(t, err)
	before := given.Text()
	_, err = modelreader.ParseValues(s, given, "((x 5) ((f 1) 0.0) ((f 7) 1.0) (r 1.0))")
	require.NoError(t, err)
	require.Equal(t, before, given.Text(), "a reply to get-value changes no model")

	m, err := modelreader.Parse(s, "((x 4) ((f 1) 2.5) ((f 2) 3.5))")
	require.NoError(t, err)
	require.Equal(t, "10.0", evalText(t, s.Arena, m, s, "(+ (f 1) (f 2) (to_real x))"))
	require.Contains(t, evalText(t, s.Arena, m, s, "(f 3)"), "does not list these arguments")
}

func TestParseModelErrors(t *testing.T) {
	s := parseScript(t, "(declare-const x Int)(declare-const y Int)(declare-fun f (Int) Int)")
	for reply, want := range map[string]string{
		"":                                 "the reply holds no model",
		"sat":                              "the reply holds no model",
		"(error \"no model\")":             "the reply is an error",
		"((define-fun x () Int 3)":         "the reply is cut or no S-expression",
		"unsupported\n":                    "the reply holds no model",
		"(\n (error \"no model\")\n) \x00": "no S-expression",
	} {
		_, err := modelreader.Parse(s, reply)
		require.ErrorContains(t, err, want, reply)
	}
	// One value that cannot be read does not spoil the others.
	m, err := modelreader.Parse(s, "((define-fun x () Int (foo 1 2)) (define-fun y () Int 7) (define-fun f ((a Int)) Int (bar 1.0?)))")
	require.NoError(t, err)
	require.Equal(t, "7", evalText(t, s.Arena, m, s, "y"))
	require.Contains(t, evalText(t, s.Arena, m, s, "x"), "its value in the model is not known: foo")
	require.Contains(t, evalText(t, s.Arena, m, s, "(f 1)"), "no interpretation")
}

// Boolector gives constants that are declared under a push other names, and keeps those of scopes that are left.
// Nothing is concluded from them: y is the constant of the second scope here, which the model does not name.
func TestRenamedConstants(t *testing.T) {
	s := parseScript(t, `(declare-const x (_ BitVec 8))(push 1)(declare-const y (_ BitVec 8))(assert (= y x))(check-sat)(pop 1)
		(push 1)(declare-const y (_ BitVec 8))(assert (= y (bvadd x #x03)))(assert (= x #x01))(check-sat)`)
	m, err := modelreader.Parse(s, `(
  (define-fun x () (_ BitVec 8) #b00000001)
  (define-fun BTOR_1@y () (_ BitVec 8) #b00000001)
  (define-fun BTOR_3@y () (_ BitVec 8) #b00000100)
)`)
	require.NoError(t, err)
	v := eval.CheckModel(s, m)
	require.Equal(t, value.Unknown, v.Result, v.String(s.Arena))
	require.Equal(t, 0, v.Assert)
	require.Equal(t, "y: the model gives no value", v.Reason)
	s = scope.WithAsserts(s, append(s.Asserts(), s.Arena.MustApp(smt.OpDistinct, s.Asserts()[1], s.Arena.True())))
	require.Equal(t, value.False, eval.CheckModel(s, m).Result, "what the model does say counts")
}

// TestAsArray reads the arrays that older z3 prints as function graphs, in any order of definitions.
func TestAsArray(t *testing.T) {
	s := parseScript(t, "(declare-const a (Array Int Int))(declare-const b (Array Int (Array Int Int)))(declare-const x Int)(declare-fun g (Int) Int)")
	m, err := modelreader.Parse(s, `(model
	  (define-fun a () (Array Int Int) (_ as-array k!0))
	  (define-fun x () Int (select a 3))
	  (define-fun b () (Array Int (Array Int Int)) (store ((as const (Array Int (Array Int Int))) (_ as-array k!0)) 1 (_ as-array k!2)))
	  (define-fun k!2 ((x!0 Int)) Int (+ (g x!0) (k!0 x!0)))
	  (define-fun g ((x!0 Int)) Int (k!0 (k!1 x!0)))
	  (define-fun k!1 ((x!0 Int)) Int (ite (<= x!0 5) 0 10))
	  (define-fun k!0 ((x!0 Int)) Int (ite (= x!0 3) 30 (ite (= x!0 10) 100 7))))`)
	require.NoError(t, err)
	require.Equal(t, "(store (store ((as const (Array Int Int)) 7) 3 30) 10 100)", evalText(t, s.Arena, m, s, "a"))
	require.Equal(t, "30", evalText(t, s.Arena, m, s, "x"))
	require.Equal(t, "100", evalText(t, s.Arena, m, s, "(g 6)"))
	require.Equal(t, "107", evalText(t, s.Arena, m, s, "(select (select b 1) 6)"))
	require.Equal(t, "7", evalText(t, s.Arena, m, s, "(select (select b 2) 6)"))
	require.Equal(t, value.True, eval.CheckModel(s, m).Result)
}

func FuzzParseModel(f *testing.F) {
	replies, _ := filepath.Glob("testdata/models/*.reply")
	for _, file := range replies {
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		script, err := os.ReadFile("testdata/models/" + name + ".smt2")
		require.NoError(f, err)
		reply, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(script), string(reply))
	}
	f.Fuzz(func(t *testing.T, script, reply string) {
		s, err := smtlib.Parse("fuzz", []byte(script), smt.NewArena())
		if err != nil {
			return
		}
		m, err := modelreader.Parse(s, reply)
		if err != nil {
			return
		}
		ev := eval.New(s.Arena, m)
		ev.Limits.Steps, ev.Limits.Instances, ev.Limits.Length, ev.Limits.Bits = 10_000, 1000, 10_000, 10_000
		for _, a := range s.Asserts() {
			ev.Holds(a)
		}
		_ = m.Text()
		if _, err := modelreader.Parse(s, m.Text()); err != nil && m.Len() > 0 && !strings.Contains(m.Text(), ";") {
			t.Fatalf("own text is not read: %v\n%s", err, m.Text())
		}
	})
}

// TestDefinedByThemselves checks models that define constants by themselves: z3 4.13.3 prints a nullary constructor of
// a parametric datatype so, which is no function of a model.
func TestDefinedByThemselves(t *testing.T) {
	for _, tc := range []struct{ script, reply, term, value string }{
		{"(declare-datatypes ((D 1)) ((par (X) ((c) (d (f X))))))(declare-const x (D Bool))(declare-const y (D Bool))",
			"((define-fun c () (D Bool) c) (define-fun x () (D Bool) c) (define-fun y () (D Bool) (d true)))", "(and ((_ is c) x) (f y))", "true"},
		{"(declare-datatype D ((c) (d)))(declare-const x D)", "((define-fun d () D c) (define-fun x () D d))", "(= x d)", "true"},
		{"(declare-const x Int)", "((define-fun a () Int (+ 1 b)) (define-fun b () Int a) (define-fun x () Int a))", "x", ""},
		{"(declare-const x Int)", "((define-fun a () Int (g 1)) (define-fun g ((y Int)) Int (+ y a)) (define-fun x () Int a))", "x", ""},
	} {
		a := smt.NewArena()
		script, err := smtlib.Parse("x.smt2", []byte(tc.script), a)
		require.NoError(t, err)
		m, err := modelreader.Parse(script, tc.reply)
		require.NoError(t, err, tc.reply)
		term, err := script.Scope().Term(tc.term)
		require.NoError(t, err)
		v, err := eval.New(a, m).Eval(term)
		if tc.value == "" {
			require.Error(t, err, tc.reply)
			continue
		}
		require.NoError(t, err, tc.reply)
		require.Equal(t, tc.value, v.Text(a), tc.reply)
	}
}

// TestValuesWithoutTheirSort: z3 prints constructors of parametric datatypes without their sort in models and replies
// to get-value.
func TestValuesWithoutTheirSort(t *testing.T) {
	a := smt.NewArena()
	script, err := smtlib.Parse("x.smt2", []byte(`(declare-datatypes ((Opt 1) (Either 2)) ((par (X) ((none) (some (it X)))) (par (A B) ((left (l A)) (right (r B))))))
		(declare-const w (Opt Int))(declare-const e (Either Int (Opt Bool)))(declare-fun h (Int) (Opt (Opt Int)))(declare-const k (Array Int (Opt Int)))
		(declare-const v (Opt Int))`), a)
	require.NoError(t, err)
	m, err := modelreader.Parse(script, `((define-fun w () (Opt Int) none) (define-fun e () (Either Int (Opt Bool)) (right none))
		(define-fun h ((x!0 Int)) (Opt (Opt Int)) (ite (= x!0 2) (some none) (ite (= x!0 3) none (some (some 4)))))
		(define-fun k () (Array Int (Opt Int)) (store ((as const (Array Int (Opt Int))) none) 1 (some 2))))`)
	require.NoError(t, err)
	values, err := modelreader.ParseValues(script, m, "((v none) ((h 7) none))")
	require.NoError(t, err)
	require.Equal(t, "(as none (Opt Int))", values[0].Value.Text(a))
	require.Equal(t, "(as none (Opt (Opt Int)))", values[1].Value.Text(a))
	for text, want := range map[string]string{
		"w": "(as none (Opt Int))", "(select k 3)": "(as none (Opt Int))", "(it (select k 1))": "2", "(= (it (h 2)) w)": "true", "(= (h 3) (as none (Opt (Opt Int))))": "true",
		"(= (h 2) (h 3))": "false", "(it (it (h 5)))": "4", "(= (r e) (as none (Opt Bool)))": "true",
	} {
		term, err := script.Scope().Term(text)
		require.NoError(t, err)
		v, err := eval.New(a, m).Eval(term)
		require.NoError(t, err, text)
		require.Equal(t, want, v.Text(a), text)
	}
}

// TestNamesWithoutBars: Yices prints names without bars that need them.
func TestNamesWithoutBars(t *testing.T) {
	a := smt.NewArena()
	script, err := smtlib.Parse("x.smt2", []byte("(declare-const |0_0| Int)(declare-const |1| Int)(declare-const |let| Int)(declare-const x Int)"), a)
	require.NoError(t, err)
	for _, reply := range []string{"((0_0 7) (let 3) (x 1))", "((define-fun 0_0 () Int 7) (define-fun let () Int 3) (define-fun x () Int (- 0_0 6)))"} {
		m, err := modelreader.Parse(script, reply)
		require.NoError(t, err)
		for text, want := range map[string]string{"|0_0|": "7", "|let|": "3", "x": "1"} {
			term, err := script.Scope().Term(text)
			require.NoError(t, err)
			v, err := eval.New(a, m).Eval(term)
			require.NoError(t, err, reply)
			require.Equal(t, want, v.Text(a), reply)
		}
	}
}

// A verdict shows only the values of relevant subterms, from the top down: it leaves out conjuncts that hold, branches
// that are not taken, and terms below binders.
func TestVerdictShowsWhatBearsOnIt(t *testing.T) {
	s := parseScript(t, `(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(declare-const y Int)
		(assert (and p (or q (< (ite p x y) 3) (forall ((z Int)) (< z x)))))(check-sat)`)
	m, err := modelreader.Parse(s, "((define-fun p () Bool true)(define-fun q () Bool false)(define-fun x () Int 5)(define-fun y () Int 0))")
	require.NoError(t, err)
	v := eval.CheckModel(s, m)
	require.Equal(t, value.False, v.Result)
	require.Equal(t, `false: assertion 1: (and p (or q (< (ite p x y) 3) (forall z (< z x))))
  the model makes it false
  (and p (or q (< (ite p x y) 3) (forall z (< z x)))) = false
  (or q (< (ite p x y) 3) (forall z (< z x))) = false
  q = false
  (< (ite p x y) 3) = false
  (forall z (< z x)) = false
  (ite p x y) = 5
  p = true
  x = 5`, v.String(s.Arena))
}
