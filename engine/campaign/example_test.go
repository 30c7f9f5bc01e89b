package campaign_test

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// The reducer of a campaign keeps a predicate on the case true. In a campaign the predicate asks the targets.
func ExampleDefaultReducer() {
	c, err := testcase.Parse("found.smt2", []byte(`
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvadd x y) #x07))
(assert (bvult (bvudiv (bvmul x y) (bvadd y #x01)) #x10))
(check-sat)`))
	if err != nil {
		fmt.Println(err)
		return
	}
	divides := func(c *testcase.Case) bool {
		found := false
		a := c.Script.Arena
		a.PostOrder(c.Script.Asserts(), func(t smt.Term) { found = found || a.Op(t) == smt.OpBVUdiv })
		return found
	}
	small, err := campaign.DefaultReducer(nil).Reduce(context.Background(), c, divides, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(small.Script.Text())
	// Output:
	// (assert (bvult (bvudiv #x00 #x00) #x00))
}
