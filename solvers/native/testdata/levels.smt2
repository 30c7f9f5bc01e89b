; for z3 cvc5 bitwuzla boolector yices2
(set-option :produce-models true)
(set-option :produce-unsat-assumptions true)
(set-logic QF_BV)
(declare-const p Bool)
(declare-const q Bool)
(assert (or p q))
(get-info :assertion-stack-levels)
; (:assertion-stack-levels 0)
(push 2)
(assert (not p))
(get-info :assertion-stack-levels)
; (:assertion-stack-levels 2)
(check-sat)
; sat
(get-value (p q))
; ((p false) (q true))
(push 1)
(declare-const r Bool)
(assert (and r (not q)))
(check-sat)
; unsat
(pop 1)
(check-sat)
; sat
(get-value ((or p q)))
; (((or p q) true))
(pop 2)
(check-sat-assuming (p (not q)))
; sat
(get-value (p q))
; ((p true) (q false))
(check-sat-assuming ((not p) (not q)))
; unsat
(check-sat)
; sat
(declare-const r (_ BitVec 3))
(assert (= r #b101))
(check-sat)
; sat
(get-value (r))
; ((r #b101))
(get-info :assertion-stack-levels)
; (:assertion-stack-levels 0)
(reset-assertions)
; boolector: ! unsupported
(check-sat)
; sat
(reset)
(declare-const p (_ BitVec 2))
(assert (bvult p #b00))
(check-sat)
; unsat
