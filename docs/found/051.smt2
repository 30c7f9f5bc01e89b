(assert (= ((as const (Array (Array Bool Bool) Bool)) false) (store ((as const (Array (Array Bool Bool) Bool)) true) ((as const (Array Bool Bool)) true) false)))
(check-sat)
