package claim

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// proofCase has assertions that are unsatisfiable.
const proofCase = "(declare-fun f (Int) Int)(declare-const x Int)(declare-const y Int)" +
	"(assert (! (and (= x y) (> (f x) 3)) :named a))(assert (< (f y) 2))(check-sat)(get-proof)"

// The proofs of it, cut short: of z3, of cvc5 in Alethe and in CPC, and of SMTInterpol.
const (
	proofOfZ3 = `((proof
(let ((?x26 (f x)))
(let (($x28 (> ?x26 3)))
(let (($x25 (= x y)))
(let ((@x30 (asserted (and $x25 $x28))))
(let ((@x33 (quant-intro (proof-bind (lambda ((z Int)) (refl (~ (> z 0) (> z 0))))) (~ (forall ((z Int)) (> z 0)) (forall ((z Int)) (> z 0))))))
(let ((@x76 (monotonicity (and-elim @x30 $x25) (= ?x26 (f y)))))
(let ((@x77 (hypothesis (> (f y) 7))))
(let ((@x78 (lemma (unit-resolution @x77 (asserted (< (f y) 2)) false) (not (> (f y) 7)))))
(unit-resolution ((_ th-lemma arith farkas 1 1) (or (>= (f y) 2) (not (= ?x26 (f y))) (not $x28)))
  (and-elim @x30 $x28) @x76 (mp (asserted (< (f y) 2)) (rewrite (= (< (f y) 2) (not (>= (f y) 2)))) (not (>= (f y) 2))) false)))))))))))`
	alethe = `(
(assume a (! (and (! (= x y) :named @p_3) (! (> (! (f x) :named @p_1) 3) :named @p_2)) :named @p_4))
(assume a1 (! (< (! (f y) :named @p_5) 2) :named @p_6))
(anchor :step t1 :args ((z Int) (:= (w Int) z)))
(step t1.t1 (cl (= w z)) :rule refl)
(step t1 (cl (= (forall ((w Int)) (> w 0)) (forall ((z Int)) (> z 0)))) :rule bind)
(step t2 (cl @p_3) :rule and :premises (a) :args (0))
(step t3 (cl (= @p_1 @p_5)) :rule cong :premises (t2))
(step t4 (cl @p_2) :rule and :premises (a) :args (1))
(step t5 (cl (not @p_6) (not @p_2) (not (= @p_1 @p_5))) :rule la_generic :args (1 1 1))
(step t6 (cl) :rule resolution :premises (t5 a1 t4 t3))
)`
	cpc = `(
(define @t1 () (f x))
(define @t2 () (f y))
(assume @p1 (and (= x y) (> @t1 3)))
(assume @p2 (< @t2 2))
(step @p3 :rule and_elim :premises (@p1) :args (0))
(step @p4 false :rule eq_resolve :premises (@p3 @p2))
)`
	resolute = `(let ((.cse0 (> (f x) 3)) (.cse1 (< (f y) 2)) (.cse2 (= (f x) (f y))))
(let-proof ((.cse9 (! (cong (f x) (f y)) :proves (+ .cse2 - (= x y)) :cong (.cse2))))
(! (res .cse0 (! (res x (assume (! (and (= x y) .cse0) :named a)) (and- 1 x)) :proves (+ .cse0) :input a)
  (res .cse1 (assume .cse1) (! (farkas 1 .cse0 1 .cse1) :proves (- .cse0 - .cse1 - .cse2) :LA (1 1 1)))) :proves () :rup)))`
)

// TestProofs: a right proof is not refuted, and a lie in it is.
func TestProofs(t *testing.T) {
	for _, test := range []struct{ proof, old, new, want string }{
		{proofOfZ3, "", "", ""},
		{proofOfZ3, "(and-elim @x30 $x25)", "(and-elim @x30 (= x (f y)))", "(and-elim) does not follow"},
		{proofOfZ3, "(or (>= (f y) 2) (not (= ?x26", "(or (>= (f y) 5) (not (= ?x26", "(th-lemma) does not follow"},
		{proofOfZ3, "(rewrite (= (< (f y) 2) (not (>= (f y) 2))))", "(rewrite (= (< (f y) 2) (not (>= (f y) 3))))", "(rewrite) does not follow"},
		{proofOfZ3, "(asserted (and $x25 $x28))", "(asserted (and $x25 (> ?x26 5)))", "assumes a formula"},
		{proofOfZ3, "(not (>= (f y) 2))) false)", "(not (>= (f y) 2))) (= x y))", "does not end in false"},
		{alethe, "", "", ""},
		{alethe, "(cl (= @p_1 @p_5)) :rule cong", "(cl (= @p_1 3)) :rule cong", "(cong) does not follow"},
		{alethe, "(cl (not @p_6) (not @p_2) (not", "(cl (not @p_6) (not", "(la_generic) does not follow"},
		{alethe, "(cl) :rule", "(cl @p_6) :rule", "does not end in false"},
		{alethe, ":named @p_5) 2)", ":named @p_5) 1)", "assumes a formula"},
		{cpc, "", "", ""},
		{cpc, "(< @t2 2)", "(< @t2 1)", "assumes a formula"},
		{resolute, "", "", ""},
		{resolute, "(+ .cse2 - (= x y)) :cong", "(+ .cse2 - (= x 3)) :cong", "(cong) does not follow"},
		{resolute, "- .cse1 - .cse2) :LA", "- .cse2) :LA", "(LA) does not follow"},
		{resolute, "(assume .cse1)", "(assume (< (f y) 1))", "assumes a formula"},
		{strings.Repeat("(! ", 5000), "", "", ""}, // hostile
	} {
		proof := test.proof
		if test.old != "" {
			require.Contains(t, proof, test.old)
			proof = strings.Replace(proof, test.old, test.new, 1)
		}
		c, r := caseAndRun(t, proofCase, []smtlib.Answer{smtlib.Unsat}, proof)
		var said []string
		for reply := range Replies(context.Background(), c, r, &Inquiry{Steps: 100}) {
			if wrong := reply.Wrong(); wrong != "" {
				said = append(said, wrong)
			}
		}
		assert.Equal(t, test.want != "", len(said) > 0, proof)
		assert.Contains(t, strings.Join(said, "\n"), test.want)
	}
	c, r := caseAndRun(t, proofCase, []smtlib.Answer{smtlib.Unsat}, strings.Repeat("(! ", 5000)+"x"+strings.Repeat(" :named b)", 5000))
	require.Empty(t, (&Statements{Ask: nobody}).Judge(c, []*solvers.Run{r}))
}

// FuzzProof: any reply to get-proof is judged, or nothing is said about it.
func FuzzProof(f *testing.F) {
	for _, proof := range []string{proofOfZ3, alethe, cpc, resolute, "()", "((proof x))", "((assume a))", "(! () :proves (+))", "((step a (cl) :rule))"} {
		f.Add(proof)
	}
	f.Fuzz(func(t *testing.T, proof string) {
		c, r := caseAndRun(t, proofCase, []smtlib.Answer{smtlib.Unsat}, proof)
		(&Statements{Ask: nobody}).Judge(c, []*solvers.Run{r})
	})
}
