(set-logic QF_BV)
(push 1)
(check-sat)
(get-model)
