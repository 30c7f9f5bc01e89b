(set-info :status sat)
(declare-const a (_ BitVec 3))
(assert (= "4" (str.from_ubv a)))
(check-sat)
