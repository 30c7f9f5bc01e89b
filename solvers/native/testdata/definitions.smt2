; for z3 cvc5
(set-option :produce-models true)
(set-logic ALL)
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(define-fun square ((n Int)) Int (* n n))
(define-const seven Int 7)
(define-sort Row () (Array Int Int))
(declare-const r Row)
(declare-const x Int)
(assert (= x (sum 3)))
(assert (= (select r 2) (square seven)))
(check-sat)
; cvc5: unknown
; sat
(get-value (x))
; cvc5: ((x 0))
; ((x 6))
(get-value ((select r 2)))
; (((select r 2) 49))
(get-value ((square x)))
; cvc5: (((square x) 0))
; (((square x) 36))
(push 1)
(define-fun local ((b Bool)) Bool (not b))
(assert (local (= x 6)))
(check-sat)
; unsat
(pop 1)
(assert (let ((y (+ x 1)) (x 3)) (= y (+ x 4))))
(check-sat)
; cvc5: unknown
; sat
(assert (! (distinct x 6) :named odd))
(check-sat)
; unsat
