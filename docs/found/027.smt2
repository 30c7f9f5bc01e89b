(set-info :status sat)
(assert (not (str.in_re "a" ((_ re.^ 0) re.all))))
(check-sat)
