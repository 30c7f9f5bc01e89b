(set-option :produce-models true)
(check-sat)
(get-value (true (_ +zero 5 11) (_ +zero 5 11) true (_ +zero 5 11) ((_ to_fp 5 11) RNE #b00000000000) (_ +zero 5 11) (_ +zero 5 11) true (_ +zero 5 11) (_ +zero 5 11) (_ +zero 5 11)))
