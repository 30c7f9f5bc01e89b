package judge_test

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// A solver says sat to a case that is labelled unsat: the verdict, the claim that it rests on, and its severity.
func Example() {
	c, err := testcase.Parse("case.smt2", []byte(`
(set-info :status unsat)
(declare-const x Bool)
(assert x)
(assert (not x))
(check-sat)`))
	if err != nil {
		fmt.Println(err)
		return
	}
	run := &solvers.Run{Target: "hasty", Solver: "hasty-1.0", Mode: solvers.Fresh, Class: solvers.OK, Answers: []smtlib.Answer{smtlib.Sat}}
	for _, v := range oracle.Judge([]oracle.Oracle{oracle.Crash(), oracle.KnownAnswer()}, c, []*solvers.Run{run}) {
		fmt.Println(v.Kind, "-", v.Summary)
		for _, k := range claim.Of(c, &v) {
			fmt.Println("claims", k.Want, "proven:", k.Settle(context.Background(), nil, solvers.Limits{}).Standing == claim.Proven)
		}
		fmt.Println(triage.SeverityOf(&v, triage.SafeSetting))
	}
	// Output:
	// known-answer - hasty-1.0 (fresh) answers sat, the answer is assumed to be unsat
	// claims unsat proven: true
	// wrong sat, model or reply
}
