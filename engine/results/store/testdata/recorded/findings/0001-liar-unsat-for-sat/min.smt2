(declare-const x Int)
(check-sat)
