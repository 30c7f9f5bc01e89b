(set-option :produce-models true)
(declare-const a (Array (_ BitVec 1) (_ BitVec 1)))
(check-sat)
(get-value ((store a #b0 #b0)))
