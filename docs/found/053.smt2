(set-info :status sat)
(assert (let ((?1 (seq.unit (store ((as const (Array Bool Bool)) false) false true)))) (seq.contains (seq.++ ?1 ?1) (seq.unit (store ((as const (Array Bool Bool)) true) true false)))))
(check-sat)
