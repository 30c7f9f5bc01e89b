(set-info :status unsat)
(assert (let ((?1 (seq.unit true))) (distinct 1 (seq.last_indexof (seq.++ ?1 ?1) ?1))))
(check-sat)
