(set-info :status sat)
(assert (bvsmul_noovfl #xe #xe))
(check-sat)
