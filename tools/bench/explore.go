package main

import (
	"fmt"
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// exploringClient answers queries.
type exploringClient interface {
	// Declare announces an input before the first query about it.
	Declare(f smt.Symbol) error
	// Ask returns whether the formulas can be true together. They are valid until the call ends.
	Ask(asserts []smt.Term) (feasible bool, err error)
}

// explorePaths explores each program until its share of limit queries is used up, or no path is left. Terms are made in
// the arena. It returns how many queries there were.
func explorePaths(a *smt.Arena, limit int, client exploringClient) (queries int, err error) {
	programs := []program{sorting, parsing, booking}
	for i, p := range programs {
		x := explorer{a: a, client: client, left: (limit - queries) / (len(programs) - i)}
		allowed := x.left
		x.run(fmt.Sprintf("p%d_", i), p)
		if queries += allowed - x.left; x.err != nil {
			return queries, x.err
		}
	}
	return queries, nil
}

// program runs along one path.
type program func(p *path)

// explorer runs a program along all of its paths.
type explorer struct {
	a      *smt.Arena
	client exploringClient
	left   int // queries
	known  map[string]bool
	err    error
}

// path is one run of a program: it begins with branches that were decided before, and decides others by asking.
type path struct {
	*explorer
	prefix    string
	decisions []bool
	at        int // branches that were passed
	condition []smt.Term
	pending   *[][]bool
}

// run runs a program from its beginning for every path: terms of the beginning are the same ones each time, for the
// arena shares them.
func (x *explorer) run(prefix string, p program) {
	x.known = map[string]bool{}
	pending := [][]bool{nil}
	for len(pending) > 0 && !x.isDone() {
		next := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		run := &path{explorer: x, prefix: prefix, decisions: next, pending: &pending}
		p(run)
		run.isFeasible() // a test case for the path
	}
}

func (x *explorer) isDone() bool { return x.left <= 0 || x.err != nil }

// input returns an input of the program.
func (p *path) input(name string, sort smt.Sort) smt.Term {
	f := p.a.Declare(p.prefix+name, nil, sort)
	if !p.known[name] && p.err == nil {
		p.known[name] = true
		p.err = p.client.Declare(f)
	}
	return p.a.Const(f)
}

// isFeasible asks whether the path can be taken, and other conditions with it.
func (p *path) isFeasible(more ...smt.Term) bool {
	if p.isDone() {
		return false
	}
	p.left--
	feasible, err := p.client.Ask(append(slices.Clip(p.condition), more...))
	if err != nil {
		p.err = err
	}
	return feasible
}

// branch takes a side that can be taken. The other one, if it can be taken as well, is left for a later run.
func (p *path) branch(condition smt.Term) bool {
	if p.isDone() {
		return false
	}
	p.at++
	not := p.a.Not(condition)
	if p.at > len(p.decisions) {
		yes, no := p.isFeasible(condition), p.isFeasible(not)
		if yes && no {
			*p.pending = append(*p.pending, append(slices.Clone(p.decisions), false))
		}
		p.decisions = append(slices.Clip(p.decisions), yes)
	}
	taken := p.decisions[p.at-1]
	if taken {
		p.condition = append(p.condition, condition)
	} else {
		p.condition = append(p.condition, not)
	}
	return taken
}

// require asks whether a condition that the program relies on can be false, and continues with it true.
func (p *path) require(condition smt.Term) {
	if p.at >= len(p.decisions) && !p.isDone() && p.isFeasible(p.a.Not(condition)) {
		p.condition = append(p.condition, condition)
	}
}
