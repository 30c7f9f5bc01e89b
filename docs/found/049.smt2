(set-info :status sat)
(assert (= ((_ to_fp 3 3) RNE (fp #b1 #x6 #b00000)) (fp #b1 #b010 #b00)))
(check-sat)
