(declare-const a (Seq (Seq Bool)))
(assert (distinct (as seq.empty (Seq (Seq Bool))) a))
(check-sat)
