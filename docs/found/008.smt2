(declare-const p Bool)
(check-sat-assuming (p (not p)))
(get-unsat-assumptions)
