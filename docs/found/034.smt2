(set-info :status sat)
(assert (bvssubo #b100 #b001))
(check-sat)
