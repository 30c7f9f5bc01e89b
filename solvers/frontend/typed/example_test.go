package typed_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"testing"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/typed"
	"github.com/smtlark/smtlark/solvers/process"
	script "github.com/smtlark/smtlark/starlark"
)

// TestMain leaves out everything where there is no z3, but for continuous integration.
func TestMain(m *testing.M) {
	if _, err := script.Supply().Find("z3", ""); err != nil && os.Getenv("CI") == "" {
		fmt.Println("left out:", err)
		return
	}
	os.Exit(m.Run())
}

// z3 makes a target of the z3 of this machine.
func z3() ([]solvers.Target, error) {
	found, err := script.Supply().Find("z3", "")
	if err != nil {
		return nil, err
	}
	return []solvers.Target{process.New(found, process.TargetOptions{Mode: solvers.Incremental})}, nil
}

// newContext makes a context over z3, and what closes both.
func newContext() (c *typed.Context, end func()) {
	targets, err := z3()
	if err != nil {
		panic(err)
	}
	c, err = typed.New(targets, frontend.Options{})
	if err != nil {
		panic(err)
	}
	return c, func() {
		_ = c.Close()
		_ = targets[0].Close()
	}
}

func Example() {
	c, end := newContext()
	defer end()
	x, y := c.Int("x"), c.Int("y")
	err := c.Assert(x.Add(y).LessEqual(c.Integer(10)), c.Integer(6).LessEqual(x), typed.Equal(y, x.Sub(c.Integer(2))))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := c.Check(context.Background())
	if err != nil || r.Answer != smtlib.Sat {
		fmt.Println(r.Answer, r.Reason, err)
		return
	}
	n, err := y.Value(context.Background())
	fmt.Println("y =", n, err)
	r, err = c.Check(context.Background(), y.Less(c.Integer(4)))
	fmt.Println(r.Answer, err)
	// Output:
	// y = 4 <nil>
	// unsat <nil>
}

// An ill-sorted term has an error as soon as it is made, and so do terms made from it.
func ExampleExpression() {
	c, end := newContext()
	defer end()
	a, b := c.BitVec("a", 8), c.BitVec("b", 16)
	sum := a.Add(b)
	fmt.Println(sum.Err())
	fmt.Println(c.Assert(typed.Equal(sum, a)) != nil)
	fmt.Println(a.Extract(8, 0).Err())
	// Output:
	// bvadd: argument 2 has sort (_ BitVec 16), expected (_ BitVec 8): b (given a of sort (_ BitVec 8), b of sort (_ BitVec 16))
	// true
	// extract: index out of range: [i j] BV(m) -> BV(i-j+1) where j<=i i<m, given i=8 j=0 m=8 (given a of sort (_ BitVec 8))
}

// What has no type of its own is a Expr, with any operator by its name.
func ExampleApply() {
	c, end := newContext()
	defer end()
	sort, err := c.Sort("(Array Int Bool)")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, i := c.Constant("a", sort), c.Int("i")
	stored := typed.Apply("store", a, i, c.Truth(true))
	fmt.Println(stored, stored.Sort())
	_ = c.Assert(typed.Apply("select", stored, i).Bool().Not())
	r, err := c.Check(context.Background())
	fmt.Println(r.Answer, err)
	// Output:
	// (store a i true) (Array Int Bool)
	// unsat <nil>
}

// Many goroutines share a few solvers.
func ExamplePool() {
	pool := typed.NewPool(2, z3, frontend.Options{Mode: frontend.Batch})
	defer pool.Close()
	squares := make([]chan string, 4)
	for i := range squares {
		squares[i] = make(chan string, 1)
		go func() {
			squares[i] <- squareRoot(pool, int64((i+1)*(i+1)))
		}()
	}
	for _, answer := range squares {
		fmt.Println(<-answer)
	}
	// Output:
	// 1
	// 2
	// 3
	// 4
}

// squareRoot returns what multiplied by itself gives a number.
func squareRoot(pool *typed.Pool, n int64) (answer string) {
	err := pool.Do(context.Background(), func(c *typed.Context) error {
		x := c.BitVec("x", 16)
		limit := c.Bits(16, big.NewInt(100))
		if err := c.Assert(typed.Equal(x.Mul(x), c.Bits(16, big.NewInt(n))), x.LessUnsigned(limit)); err != nil {
			return err
		}
		if _, err := c.Check(context.Background()); err != nil {
			return err
		}
		root, err := x.Value(context.Background())
		answer = fmt.Sprint(root)
		return err
	})
	if err != nil {
		return err.Error()
	}
	return answer
}

// Objectives are optimised one after the other. Bounds are exact: one that is not reached says so, as does one that is
// not there.
func ExampleContext_Optimise() {
	c, end := newContext()
	defer end()
	n, x, y := c.Int("n"), c.Real("x"), c.Real("y")
	err := errors.Join(
		c.Assert(n.LessEqual(c.Integer(7)), x.Less(n.ToReal()), y.LessEqual(x)),
		c.Prefer(typed.Equal(n, c.Integer(9)), big.NewRat(5, 2), "wish"),
		c.Maximize(n), c.Maximize(x))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := c.Optimise(context.Background())
	fmt.Println(out.Result.Answer, err)
	for _, v := range out.Values {
		fmt.Println(v.High, v.Exact())
	}
	best, err := n.Value(context.Background())
	fmt.Println("n =", best, err)
	fmt.Println(c.Minimize(c.Truth(true)))
	// Output:
	// sat <nil>
	// (/ 5.0 2.0) true
	// 7 true
	// (+ 7.0 (* (- 1.0) epsilon)) true
	// n = 7 <nil>
	// an objective is an Int, a Real or a bit vector; this term has sort Bool: true
}
