; a longer one, for max_size
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const r Real)
(declare-const s Real)
(assert (and (> r s) (< r s)))
(check-sat)
(set-info :status unsat)
(check-sat)
