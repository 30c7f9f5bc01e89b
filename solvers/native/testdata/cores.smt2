; for z3 cvc5 bitwuzla boolector yices2
(set-option :produce-unsat-cores true)
(set-option :produce-models true)
(set-logic QF_BV)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(assert (! (bvult x #x3) :named low))
(assert (! (= y #x7) :named |of no use|))
(push 1)
(assert (! (bvugt x #x5) :named high))
(check-sat)
; unsat
(get-unsat-core)
; cvc5: (low |of no use| high)
; (low high)
(get-value (x))
; ! refusal
(pop 1)
(check-sat)
; sat
(get-unsat-core)
; ! refusal
(get-value (y))
; z3: ((y #x7))
; ((y #b0111))
(get-assignment)
; ((low true) (|of no use| true))
(push 1)
(assert (and low (not low)))
(check-sat)
; unsat
