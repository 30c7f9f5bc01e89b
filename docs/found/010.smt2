(assert (fp.isZero (fp.div RNE (fp #b1 #x00 #b00000000000000000000001) (fp #b0 #xf0 #b00000000000000000000001))))
(check-sat)
