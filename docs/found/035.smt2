(set-info :status sat)
(assert (not (bvnego (bvnot #x0000000000000000))))
(check-sat)
