package smtlib

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/stretchr/testify/require"
)

// reader is a real solver that only reads a script.
type reader struct {
	name string
	args []string
}

var readers = []reader{{"z3", []string{"-in"}}, {"cvc5", []string{"--parse-only", "--lang=smt2", "-"}}}

// find returns the solver's path. Where CI is true it must be there.
func (r *reader) find(t *testing.T) string {
	path, err := exec.LookPath(r.name)
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%s is not installed", r.name)
		t.Skipf("%s is not installed", r.name)
	}
	return path
}

// read sends a text to the solver and returns its error message, or "".
func (r *reader) read(t *testing.T, path, text string) string {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, r.args...)
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(text, "(check-sat)", ""))
	out, err := cmd.CombinedOutput()
	if strings.Contains(strings.ToLower(string(out)), "error") || ctx.Err() != nil {
		return string(out) + " "
	}
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return ""
}

// TestSolversTakeWhatIsPrinted checks that real solvers accept the printed seeds if they accept the originals. It takes
// a sample of the seeds, and all of them if SMTLARK_DEEP is set.
func TestSolversTakeWhatIsPrinted(t *testing.T) {
	step := 60
	if os.Getenv("SMTLARK_DEEP") != "" {
		step = 1
	}
	files := seeds(t)
	for _, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			path := r.find(t)
			refused := 0
			for i := 0; i < len(files); i += step {
				src, err := os.ReadFile(files[i])
				require.NoError(t, err)
				s, err := Parse(files[i], src, smt.NewArena())
				require.NoError(t, err)
				if said := r.read(t, path, s.Text()); said != "" {
					refused++
					require.NotEmpty(t, r.read(t, path, string(src)), "%s takes %s but not what is printed: %s", r.name, files[i], said)
				}
			}
			t.Logf("%d scripts, %d refused as printed and as they were", (len(files)+step-1)/step, refused)
		})
	}
}

// takenCases has scripts with constructs that need care in the printer, and the solvers that know their operators.
var takenCases = []struct{ by, script string }{
	{"z3 cvc5", `(set-logic ALL)(declare-fun p () Bool)(assert (and (or p true) (! (or p true) :named n1) (=> n1 (! (not n1) :named |n 2|)) |n 2|))(assert (! n1 :named top))`},
	{"z3 cvc5", `(set-logic ALL)(declare-fun f (Int Int) Int)(declare-fun a () Int)(assert (forall ((x Int) (y Int)) (! (=> (= (f x a) (f x a) (f a a)) (exists ((y Int)) (and (= (f x y) (f x y) (f a a)) (= (f x a) (f y y) (f y y))))) :pattern ((f x y)) :pattern ((f x a) (f y (f a a))))))`},
	{"z3 cvc5", `(set-logic ALL)(declare-datatypes ((List 1)) ((par (X) ((nil) (cons (head X) (tail (List X)))))))(declare-fun l () (List Int))
		(assert (= l (cons 1 (as nil (List Int)))))(assert (match l ((nil false) ((cons _ t) (= t (as nil (List Int)))))))(assert ((_ is cons) l))(assert (match l ((nil false) (y ((_ is cons) y)))))`},
	{"z3 cvc5", `(set-logic ALL)(declare-datatypes ((T 0) (F 0)) (((node (kids F))) ((none) (some (first T) (rest F)))))(declare-fun t () T)(assert (= (kids t) (some t none)))`},
	{"z3 cvc5", `(set-logic ALL)(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool)) ((ite (= n 0) true (od (- n 1))) (ite (= n 0) false (ev (- n 1)))))(define-fun-rec fac ((n Int)) Int (ite (<= n 0) 1 (* n (fac (- n 1)))))(assert (ev (fac 3)))`},
	{"z3 cvc5", `(set-logic ALL)(define-const c Int 5)(define-sort W (n) (Array Int n))(declare-const w (W Bool))(define-fun g ((x Int)) Bool (select w (+ x c)))(assert (g 1))(set-info :source |a
b|)(echo "x ""y""")`},
	{"z3 cvc5", `(set-logic ALL)(declare-const s String)(assert (str.in_re s (re.++ (re.* (str.to_re "a""\u{ff}")) ((_ re.loop 1 3) re.allchar) ((_ re.^ 2) re.all) (re.diff (re.range "a" "z") re.none))))`},
	{"z3 cvc5", `(set-logic ALL)(declare-const x Float32)(assert (fp.eq (fp.add RNE x (_ +zero 8 24)) ((_ to_fp 8 24) RNE (/ 1.0 10.0)) ((_ to_fp 8 24) RTZ #b1) (fp #b0 #x00 #b00000000000000000000000)))`},
	{"z3 cvc5", `(set-logic ALL)(declare-const v (_ BitVec 8))(assert (= 3 (ubv_to_int (bvadd v ((_ int_to_bv 8) 7)))))(assert (= ((as const (Array Int (_ BitVec 300))) (_ bv5 300)) ((as const (Array Int (_ BitVec 300))) (_ bv7 300))))`},
	{"z3 cvc5", `(set-logic AUFLIRA)(declare-const x Real)(declare-const n Int)(declare-fun f (Real) Real)(assert (< (- 2) (* 2 x) n (f 1) (/ 1 3)))`},
	{"z3 cvc5", `(set-logic ALL)(declare-const s (Seq Int))(assert (= (seq.++ s (seq.unit 1)) (as seq.empty (Seq Int))))`},
	{"cvc5", `(set-logic ALL)(declare-const s (Set Int))(assert (= (set.insert 1 2 s) (as set.empty (Set Int))))(declare-const b (Bag Int))(assert (= b (bag 1 2) (as bag.empty (Bag Int))))`},
	{"z3", `(declare-const a (Array Int Int))(assert (= a (lambda ((i Int)) (select a (+ i 1)))))(assert (str.in_re "a" (re.loop re.allchar 1 3)))`},
}

func TestSolversTakeHandWrittenScripts(t *testing.T) {
	for _, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			path := r.find(t)
			for _, c := range takenCases {
				if strings.Contains(c.by, r.name) {
					_, text := roundTrip(t, c.script)
					require.Empty(t, r.read(t, path, text), text)
				}
			}
		})
	}
}
