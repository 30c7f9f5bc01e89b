(set-info :status sat)
(assert (= (_ +oo 3 3) (fp.fma RNE (fp #b1 #b110 #b01) (fp #b1 #b110 #b01) (_ +zero 3 3))))
(check-sat)
