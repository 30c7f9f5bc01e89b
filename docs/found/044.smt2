(declare-fun a () Real)
(assert (< 3.0 a 3.1415927))
(maximize a)
(check-sat)
