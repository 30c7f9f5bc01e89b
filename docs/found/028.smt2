(set-info :status sat)
(assert (not (str.in_re "" ((_ re.loop 16 0) re.all))))
(check-sat)
