package smtlib_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// legality lists scripts that z3 and cvc5 both reject, with the place and part of the message. A script that one of
// them accepts is legal here.
var legality = []struct{ text, want string }{
	{"(declare-const x Int)(declare-const x Int)", "1:37: x is already declared"},
	{"(declare-fun f (Int) Int)(declare-fun f (Int) Int)", "1:39: f is already declared"},
	{"(define-fun f () Int 1)(define-fun f () Int 1)", "1:36: f is already declared"},
	{"(declare-const f Int)(define-fun f () Int 1)", "1:34: f is already declared"},
	{"(define-fun f ((x Int)) Int x)(declare-fun f (Int) Int)", "1:44: f is already declared"},
	{"(define-fun-rec f ((x Int)) Int (f x))(define-fun-rec f ((x Int)) Int (f x))", "1:55: f is already declared"},
	{"(declare-const x Int)(push 1)(declare-const x Int)", "1:45: x is already declared"},
	{"(declare-sort S 0)(declare-sort S 0)", "1:33: the sort S is already declared"},
	{"(define-sort S () Int)(define-sort S () Int)", "1:36: the sort S is already declared"},
	{"(declare-sort A 0)(declare-datatypes ((A 0)) (((c) (d))))", "1:40: the sort A is already declared"},
	{"(declare-const p Bool)(assert (! p :named a))(assert (! (not p) :named a))", "1:72: a is already declared"},
	{"(declare-const p Bool)(assert (! p :named p))", "1:43: p is already declared"},
	{"(declare-fun p (Int) Bool)(assert (forall ((x Int)) (! (p x) :named a)))", "1:69: the named term contains the bound variable x"},
	{"(define-fun f ((x Int)) Bool (! (> x 0) :named a))", "1:48: the named term contains the bound variable x"},
	{"(assert (forall () true))", "1:9: forall binds no variable"},
	{"(assert (exists () true))", "1:9: exists binds no variable"},
	{"(declare-datatypes ((A 0)) (((c) (c))))", "1:34: the constructor c is there twice in A"},
	{"(declare-datatypes ((A 0)) (((c (s Int) (s Int)))))", "1:41: the selector s is there twice in A"},
	{"(declare-datatypes ((A 0)) (((c (s Int)) (d (s Int)))))", "1:45: the selector s is there twice in A"},
	{"(declare-datatypes ((A 0)(A 0)) (((c))((d))))", "1:27: the sort A is already declared"},
	{"(declare-datatypes ((A 0)) (((c (s A)))))", "1:22: the datatype A is not well-founded"},
	{"(declare-datatypes ((A 0)(B 0)) (((c (s B)))((d (t A)))))", "1:22: the datatype A is not well-founded"},
	{"(define-fun f ((x Int)) Int (f x))", "1:30: f is used in its own definition; define-fun-rec allows that"},
	{"(set-logic QF_LIA)(set-logic QF_LIA)", "1:19: the logic is set a second time"},

	{"(declare-fun f (Int) Int)(declare-fun f (Bool) Int)(assert (= (f 1) (f true)))", ""},
	{"(declare-const x Int)(declare-const x Bool)", ""},
	{"(push 1)(declare-const x Int)(declare-sort S 0)(pop 1)(declare-const x Int)(declare-sort S 0)", ""},
	{"(set-logic QF_LIA)(declare-const x Int)(reset)(set-logic QF_LIA)(declare-const x Int)", ""},
	{"(declare-const x Int)(define-fun f ((x Bool)) Bool x)(assert (forall ((x Bool)) (or x (not x))))", ""},
	{"(declare-const p Bool)(assert (let ((x p)) (! (not p) :named a)))(assert (! p :named b))", ""},
	{"(declare-datatypes ((A 0)(B 0)) (((c))((c))))", ""},
	{"(declare-datatypes ((A 0)) (((c (c Int)))))", ""},
	{"(declare-datatypes ((A 0)) (((c (s A)) (d))))", ""},
	{"(declare-datatypes ((A 0)(B 0)) (((c (s B)))((d (t A)) (e))))", ""},
	{"(declare-datatypes ((L 1)) ((par (X) ((nil) (cons (h X) (t (L X)))))))", ""},
	{"(assert (let () true))", ""},
	{"(declare-const x Int)(assert (> x 0))(check-sat)(exit) this ( is no SMT-LIB", ""},
}

func TestLegal(t *testing.T) {
	for _, tc := range legality {
		for range 2 { // the second time the parser has memories
			s, err := smtlib.Parse("seed.smt2", []byte(tc.text), smt.NewArena())
			require.NoError(t, err, tc.text)
			err = s.Legal()
			if tc.want == "" {
				require.NoError(t, err, tc.text)
				continue
			}
			require.ErrorContains(t, err, "seed.smt2:"+tc.want, tc.text)
		}
		a := smt.NewArena() // an arena that knows the declarations
		_, err := smtlib.Parse("", []byte(tc.text), a)
		require.NoError(t, err)
		s, err := smtlib.Parse("", []byte(tc.text), a)
		require.NoError(t, err)
		require.Equal(t, tc.want != "", s.Legal() != nil, tc.text)
	}
	// reset-assertions may forget declarations, which the reader takes either way.
	s, err := smtlib.Parse("", []byte("(declare-const x Int)(reset-assertions)(declare-const x Int)(assert (> x 0))"), smt.NewArena())
	require.NoError(t, err)
	require.NoError(t, s.Legal())
	_, err = smtlib.Parse("a.smt2", []byte("(declare-const x Real)(assert (> x .5))"), smt.NewArena())
	require.ErrorContains(t, err, "a.smt2:1:36: `.5` is no number: a decimal has digits before its dot, as 0.5")
}

// The table is right about z3 and cvc5.
func TestLegalAgreesWithSolvers(t *testing.T) {
	solvers := [][]string{{"z3"}, {"cvc5", "--incremental"}}
	for _, argv := range solvers {
		if _, err := exec.LookPath(argv[0]); err != nil {
			require.NotEqual(t, "true", os.Getenv("CI"), "%s must be installed in CI", argv[0])
			t.Skipf("needs %s", argv[0])
		}
	}
	for _, tc := range legality {
		file := filepath.Join(t.TempDir(), "a.smt2")
		head := "(set-logic ALL)"
		if strings.Contains(tc.text, "set-logic") {
			head = ""
		}
		require.NoError(t, os.WriteFile(file, []byte(head+tc.text+"(check-sat)"), 0o644))
		refused := 0
		for _, argv := range solvers {
			out, _ := exec.Command(argv[0], append(argv[1:], file)...).CombinedOutput()
			if strings.Contains(string(out), "rror") {
				refused++
			}
		}
		require.Equal(t, tc.want != "", refused == len(solvers), tc.text)
	}
}
