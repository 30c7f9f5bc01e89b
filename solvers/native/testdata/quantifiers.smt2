; for z3 cvc5 bitwuzla boolector
(set-logic BV)
(declare-const x (_ BitVec 3))
(assert (forall ((y (_ BitVec 3))) (bvule x y)))
(check-sat)
; sat
(push 1)
; boolector: ! unsupported
(assert (not (= x #b000)))
(check-sat)
; boolector: ! unsupported
; unsat
(pop 1)
; boolector: ! refusal
(assert (exists ((y (_ BitVec 3)) (z (_ BitVec 3))) (and (bvult x y) (= (bvmul y z) #b110))))
(check-sat)
; boolector: ! unsupported
; sat
(push 1)
; boolector: ! unsupported
(assert (forall ((y (_ BitVec 3))) (exists ((z (_ BitVec 3))) (= (bvadd y z) x))))
(check-sat)
; boolector: ! unsupported
; sat
(pop 1)
; boolector: ! refusal
(assert (forall ((y (_ BitVec 3))) (=> (bvugt y #b011) (exists ((y (_ BitVec 3))) (bvugt y #b111)))))
(check-sat)
; boolector: ! unsupported
; unsat
