(set-info :status sat)
(declare-const a (_ BitVec 3))
(assert (= "1" (str.from_sbv a)))
(check-sat)
