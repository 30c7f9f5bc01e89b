; for z3 cvc5 bitwuzla boolector yices2
(set-option :print-success true)
(set-option :produce-models true)
(set-option :produce-models false)
(set-option :verbosity 3)
(set-option :no-such-option-anywhere 7)
(set-logic QF_BV)
(declare-const p Bool)
; ! refusal
(assert p)
; ! refusal
(check-sat)
; ! refusal
(get-value (p))
; ! refusal
(set-option :no-such-option-anywhere 7)
(check-sat)
; ! refusal
