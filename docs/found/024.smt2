(set-info :status sat)
(assert (= (fp #b0 #b01 #b10) (fp.fma RNE (fp #b1 #b01 #b01) (fp #b1 #b10 #b00) (fp #b1 #b01 #b00))))
(check-sat)
