(assert (= (_ -oo 8 24) (fp.div RNE (fp #b1 #xf0 #b00000000000000000000000) (fp #b0 #x00 #b00000000000000000000001))))
(check-sat-assuming (true))
