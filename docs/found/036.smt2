(check-sat-assuming (false))
(get-assertions)
