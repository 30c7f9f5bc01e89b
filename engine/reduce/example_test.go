package reduce_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/reduce"
)

// A case is reduced while a predicate over it holds, which usually asks a solver. Here it looks for two operators.
func ExampleRun() {
	c, err := testcase.Parse("found.smt2", []byte(`
(set-logic QF_S)
(declare-const first String)
(declare-const second String)
(assert (= (str.len first) (str.len (str.replace first second "abc"))))
(assert (not (= (str.++ first second) "x")))
(check-sat)`))
	if err != nil {
		fmt.Println(err)
		return
	}
	keeps := func(c *testcase.Case) bool {
		text := string(c.Text())
		return strings.Contains(text, "str.replace") && strings.Contains(text, "str.len")
	}
	r, err := reduce.Run(context.Background(), c, keeps, reduce.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d bytes of %d\n%s", len(r.Case.Text()), len(c.Text()), r.Case.Text())
	// Output:
	// 48 bytes of 205
	// (assert (= 0 (str.len (str.replace "" "" ""))))
}
