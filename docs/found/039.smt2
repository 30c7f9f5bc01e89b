(set-option :produce-unsat-cores true)
(check-sat-assuming (false))
(get-assertions)
(get-unsat-core)
