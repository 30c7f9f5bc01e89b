(declare-datatypes ((S 0)) (((c))))
(assert (= c c))
