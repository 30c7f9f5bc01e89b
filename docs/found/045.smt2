(assert (not (seq.nth (seq.unit true) 0)))
(check-sat)
