; for z3 cvc5 bitwuzla boolector yices2
(set-logic QF_BV)
(declare-const p Bool)
(get-model)
; ! refusal
(get-value (p))
; ! refusal
(get-unsat-core)
; ! refusal
(get-unsat-assumptions)
; ! refusal
(set-logic QF_UF)
; ! refusal
(assert p)
(check-sat)
; sat
(get-model)
; ! refusal
(get-option :no-such-option)
; ! unsupported
(get-option :produce-models)
; ! unsupported
(get-info :name)
; cvc5: (:name "cvc5")
; bitwuzla: (:name "bitwuzla")
; boolector: (:name "boolector")
; yices2: (:name "yices2")
; (:name "z3")
(get-info :no-such-information)
; ! unsupported
(get-info :error-behavior)
; (:error-behavior continued-execution)
(echo "still here")
; "still here"
(get-assignment)
; ! refusal
(check-sat)
; sat
(assert (not p))
(check-sat)
; unsat
