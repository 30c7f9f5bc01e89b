(set-logic QF_BV)
(declare-const b (_ BitVec 8))
(assert (distinct b b))
(check-sat)
