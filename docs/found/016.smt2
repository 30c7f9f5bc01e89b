(set-info :status sat)
(set-logic QF_LIA)
(assert (= 0 (div 1 1 2)))
(check-sat)
