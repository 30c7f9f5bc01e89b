package typed

import (
	"context"
	"errors"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// longestUse is the number of uses after which a context is replaced, because its terms stay in memory as long as it
// lives.
const longestUse = 200

// Pool lends contexts to goroutines, each to one at a time. It is safe for concurrent use.
type Pool struct {
	targets func() ([]solvers.Target, error)
	options frontend.Options
	free    chan *lent // one entry for each context of the pool; nil for a context that is not made yet
}

// lent is a context of a pool, with its own targets.
type lent struct {
	*Context
	targets []solvers.Target
	used    int
}

// NewPool returns a pool of at most size contexts, which are made when they are needed. The function targets makes the
// targets of one context.
func NewPool(size int, targets func() ([]solvers.Target, error), o frontend.Options) *Pool {
	p := &Pool{targets: targets, options: o, free: make(chan *lent, max(1, size))}
	for range cap(p.free) {
		p.free <- nil
	}
	return p
}

// Do waits for a context in which nothing is asserted, and calls the function with it; neither the context nor its
// terms may be used afterwards. It returns an error if the function fails, if a context cannot be made, or if ctx ends
// while it waits.
func (p *Pool) Do(ctx context.Context, f func(c *Context) error) (err error) {
	var x *lent
	select {
	case <-ctx.Done():
		return ctx.Err()
	case x = <-p.free:
	}
	defer func() { p.free <- x }()
	if x != nil && (x.used >= longestUse || x.Reset() != nil) {
		err = x.end()
		x = nil
		if err != nil {
			return err
		}
	}
	if x == nil {
		if x, err = p.make(); err != nil {
			return err
		}
	}
	x.used++
	return f(x.Context)
}

// make makes a context.
func (p *Pool) make() (*lent, error) {
	targets, err := p.targets()
	if err != nil {
		return nil, err
	}
	x := &lent{targets: targets}
	if x.Context, err = New(targets, p.options); err != nil {
		return nil, errors.Join(err, x.end())
	}
	return x, nil
}

// end closes a context and its targets.
func (x *lent) end() error {
	var errs []error
	if x.Context != nil {
		errs = append(errs, x.Close())
	}
	for _, t := range x.targets {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// Close waits until all contexts are given back, and closes them. Do must not be called after that.
func (p *Pool) Close() error {
	var errs []error
	for range cap(p.free) {
		if x := <-p.free; x != nil {
			errs = append(errs, x.end())
		}
	}
	return errors.Join(errs...)
}
