(set-option :tlimit-per 1000)
(set-logic ALL)
(declare-fun p (Int) Bool)
(get-qe (exists ((q Int)) (forall ((x Int)) (p x))))
