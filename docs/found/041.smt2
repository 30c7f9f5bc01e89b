(assert (str.in_re "a" ((_ re.^ 0) re.all)))
(check-sat)
