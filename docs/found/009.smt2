(assert (= #b0 ((_ fp.to_ubv 1) RNE (_ +zero 5 11))))
(check-sat)
