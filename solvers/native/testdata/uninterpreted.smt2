; for z3 cvc5 yices2
(set-option :produce-models true)
(set-logic QF_UF)
(declare-sort U 0)
(declare-const a U)
(declare-const b U)
(declare-fun f (U) U)
(assert (= (f a) b))
(assert (= (f b) a))
(check-sat)
; sat
(get-value ((= (f (f a)) a)))
; (((= (f (f a)) a) true))
(push 1)
(assert (not (= (f (f (f a))) b)))
(check-sat)
; unsat
(pop 1)
(assert (distinct a b (f (f a))))
(check-sat)
; unsat
