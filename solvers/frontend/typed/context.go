package typed

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// Context is a problem and the front end that solves it. It is used by one goroutine at a time.
type Context struct {
	solver *frontend.FrontEnd
	arena  *smt.Arena
	scope  *smtlib.Scope
	known  map[string]smt.Symbol // by name: the declarations
}

// New returns a context over targets that open sessions; see frontend.New. Close it before the targets.
func New(targets []solvers.Target, o frontend.Options) (*Context, error) {
	a := smt.NewArena()
	s, err := frontend.New(a, targets, o)
	if err != nil {
		return nil, err
	}
	c := &Context{solver: s, arena: a}
	return c, c.begin()
}

// begin makes the state of a new context. Declarations live as long as the context, because variables of the program
// hold terms that use them.
func (c *Context) begin() error {
	c.scope, c.known = smtlib.NewScope(c.arena), map[string]smt.Symbol{}
	return c.solver.Do(&smtlib.Command{Kind: smtlib.CmdSetOption, Name: ":global-declarations", Text: "true"})
}

// Solver returns the front end, for operations for which the context has no method.
func (c *Context) Solver() *frontend.FrontEnd { return c.solver }

// SetLogic says which logic the problem is in, such as "QF_BV", before anything is declared.
func (c *Context) SetLogic(name string) error {
	return c.solver.Do(&smtlib.Command{Kind: smtlib.CmdSetLogic, Text: name})
}

// Sort reads a sort as SMT-LIB spells it, such as (Array Int Bool).
func (c *Context) Sort(text string) (smt.Sort, error) { return c.scope.Sort(text) }

// declare declares a function, or finds it if it is already declared with the same sorts.
func (c *Context) declare(name string, domain []smt.Sort, result smt.Sort) (smt.Symbol, error) {
	f := c.arena.Declare(name, domain, result)
	old, ok := c.known[name]
	switch {
	case ok && old == f:
		return f, nil
	case ok:
		first := smtlib.DeclareCommand(c.arena, old)
		return 0, fmt.Errorf("%s is declared already with other sorts: %s", smt.QuoteSymbol(name),
			bytes.TrimSpace(new(smtlib.Printer).Command(nil, c.arena, &first)))
	}
	command := smtlib.DeclareCommand(c.arena, f)
	if err := c.solver.Do(&command); err != nil {
		return 0, err
	}
	c.known[name] = f
	c.scope.BindSymbol(f)
	return f, nil
}

// constant declares a constant.
func (c *Context) constant(name string, sort smt.Sort) node {
	if err := c.arena.CheckSize(sort); err != nil {
		return node{in: c, err: err}
	}
	f, err := c.declare(name, nil, sort)
	if err != nil {
		return node{in: c, err: err}
	}
	return node{in: c, term: c.arena.Const(f)}
}

// Bool declares a constant of sort Bool, or returns the existing one. The methods named after other sorts do the same.
func (c *Context) Bool(name string) Bool { return Bool{c.constant(name, smt.SortBool)} }

// Int declares an integer, see Bool.
func (c *Context) Int(name string) Int { return Int{c.constant(name, smt.SortInt)} }

// Real declares a real number, see Bool.
func (c *Context) Real(name string) Real { return Real{c.constant(name, smt.SortReal)} }

// Text declares a string, see Bool.
func (c *Context) Text(name string) Text { return Text{c.constant(name, smt.SortString)} }

// BitVec declares a bit vector of some bits, see Bool.
func (c *Context) BitVec(name string, width int) BitVec {
	if err := checkWidth(width); err != nil {
		return BitVec{node{in: c, err: fmt.Errorf("%s: %w", name, err)}}
	}
	return BitVec{c.constant(name, c.arena.BitVec(width))}
}

// Constant declares a constant of any sort, see Bool.
func (c *Context) Constant(name string, sort smt.Sort) Expr { return Expr{c.constant(name, sort)} }

// Function is an uninterpreted function.
type Function struct {
	in     *Context
	symbol smt.Symbol
	err    error
}

// Function declares a function, or finds it.
func (c *Context) Function(name string, domain []smt.Sort, result smt.Sort) Function {
	f, err := c.declare(name, domain, result)
	return Function{c, f, err}
}

// Of applies the function.
func (f Function) Of(args ...Expression) Expr {
	if f.err != nil {
		return Expr{node{in: f.in, err: f.err}}
	}
	ts, err := f.in.termsOf(args)
	if err == nil {
		var t smt.Term
		if t, err = f.in.arena.Apply(f.symbol, ts...); err == nil {
			return Expr{node{in: f.in, term: t}}
		}
		err = withOperands(f.in.arena, err, ts)
	}
	return Expr{node{in: f.in, err: err}}
}

// Assert asserts the conditions.
func (c *Context) Assert(conditions ...Bool) error {
	for _, x := range conditions {
		ts, err := c.termsOf([]Expression{x})
		if err != nil {
			return err
		}
		assert := smtlib.AssertCommand(ts[0])
		if err := c.solver.Do(&assert); err != nil {
			return err
		}
	}
	return nil
}

// Push begins a level. Pop removes the assertions that are made after it; names stay.
func (c *Context) Push() error { return c.solver.Do(&smtlib.Command{Kind: smtlib.CmdPush, N: 1}) }

// Pop ends levels.
func (c *Context) Pop(levels int) error {
	return c.solver.Do(&smtlib.Command{Kind: smtlib.CmdPop, N: levels})
}

// Reset removes everything: earlier terms and names must not be used any more.
func (c *Context) Reset() error {
	if err := c.solver.Do(&smtlib.Command{Kind: smtlib.CmdReset}); err != nil {
		return err
	}
	c.scope.Close()
	return c.begin()
}

// Check asks whether the assertions, and the assumptions with them, can hold together. The answer is unknown, with the
// reason, if no solver has an answer. It returns an error if ctx ends or if an assumption has an error.
func (c *Context) Check(ctx context.Context, assumptions ...Bool) (frontend.Result, error) {
	args := make([]Expression, len(assumptions))
	for i, x := range assumptions {
		args[i] = x
	}
	ts, err := c.termsOf(args)
	if err != nil {
		return frontend.Result{Answer: smtlib.Unknown, Reason: err.Error()}, err
	}
	return c.solver.Check(ctx, ts...)
}

// Value returns the value of a term in the model behind the latest answer, as SMT-LIB spells it.
func (c *Context) Value(ctx context.Context, x Expression) (string, error) {
	ts, err := c.termsOf([]Expression{x})
	if err != nil {
		return "", err
	}
	values, err := c.solver.Values(ctx, ts)
	if err != nil {
		return "", err
	}
	return values[0], nil
}

// Close ends the solvers' sessions.
func (c *Context) Close() error {
	c.scope.Close()
	return c.solver.Close()
}

var errOtherContext = errors.New("the term is of another context")

// termsOf returns the terms of expressions, or the first error among them.
func (c *Context) termsOf(args []Expression) ([]smt.Term, error) {
	out := make([]smt.Term, len(args))
	for i, x := range args {
		m := x.made()
		switch {
		case m.err != nil:
			return nil, m.err
		case m.in == nil:
			return nil, fmt.Errorf("operand %d was not made by a context", i+1)
		case m.in != c:
			return nil, fmt.Errorf("operand %d, %s: %w", i+1, x, errOtherContext)
		}
		out[i] = m.term
	}
	return out, nil
}
