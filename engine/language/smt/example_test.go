package smt_test

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Terms are equal exactly when they are the same number. Making a term that is not well-sorted returns an error.
func Example() {
	a := smt.NewArena()
	x := a.Const(a.Declare("x", nil, a.BitVec(8)))
	sum, err := a.App(smt.OpBVAdd, nil, x, a.BVUint(8, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	again := a.MustApp(smt.OpBVAdd, x, a.BVUint(8, 1))
	fmt.Println(a.Brief(sum), sum == again, a.Op(sum), a.SortString(a.Sort(sum)))

	_, err = a.App(smt.OpBVAdd, nil, x, a.BVUint(4, 1))
	fmt.Println(err)
	// Output:
	// (bvadd x #x01) true bvadd (_ BitVec 8)
	// bvadd: argument 2 has sort (_ BitVec 4), expected (_ BitVec 8): #x1
}
