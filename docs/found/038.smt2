(set-option :produce-interpolants true)
(declare-datatypes ((S 0)) (((c (s Real)))))
(assert (let ((?1 (c 0.0))) (and (= ?1 ?1) ((_ is c) ?1))))
(get-interpolant A18 (let ((?1 (c 0.0))) (= ?1 ?1)))
