package main

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// sorting sorts five words by insertion and looks for one of them by binary search.
func sorting(p *path) {
	const n = 5
	a, word := p.a, p.a.BitVec(32)
	var list []smt.Term
	for i := range n {
		list = append(list, p.input(fmt.Sprint("e", i), word))
	}
	wanted := p.input("wanted", word)
	for i := 1; i < n; i++ {
		for j := i; j > 0 && p.branch(a.MustApp(smt.OpBVSlt, list[j], list[j-1])); j-- {
			list[j-1], list[j] = list[j], list[j-1]
		}
	}
	for i := 1; i < n; i++ {
		p.require(a.MustApp(smt.OpBVSle, list[i-1], list[i]))
	}
	for low, high := 0, n; low < high; {
		middle := (low + high) / 2
		switch {
		case p.branch(a.Eq(list[middle], wanted)):
			return
		case p.branch(a.MustApp(smt.OpBVSlt, list[middle], wanted)):
			low = middle + 1
		default:
			high = middle
		}
	}
}

// parsing reads six bytes as numbers in parentheses, and computes a number from them.
func parsing(p *path) {
	const n, deepest = 6, 3
	a := p.a
	word := func(v uint64) smt.Term { return a.BVUint(32, v) }
	is := func(c smt.Term, char byte) smt.Term { return a.Eq(c, a.BVUint(8, uint64(char))) }
	number, sum, depth := word(0), word(0), 0
	for i := range n {
		c := p.input(fmt.Sprint("c", i), a.BitVec(8))
		switch {
		case p.branch(is(c, '(')):
			if depth++; depth > deepest {
				return
			}
		case p.branch(is(c, ')')):
			if depth--; depth < 0 {
				return
			}
			sum, number = a.MustApp(smt.OpBVAdd, sum, number), word(0)
		case p.branch(a.And(a.MustApp(smt.OpBVUle, a.BVUint(8, '0'), c), a.MustApp(smt.OpBVUle, c, a.BVUint(8, '9')))):
			extended, err := a.App(smt.OpZeroExtend, []smt.Index{a.NumIndex(24)}, c)
			if err != nil {
				p.err = err
				return
			}
			digit := a.MustApp(smt.OpBVSub, extended, word('0'))
			p.require(a.MustApp(smt.OpBVUlt, digit, word(10)))
			number = a.MustApp(smt.OpBVAdd, a.MustApp(smt.OpBVMul, number, word(10)), digit)
		default:
			return
		}
	}
	if p.branch(a.MustApp(smt.OpBVUlt, word(1000), sum)) {
		p.branch(a.Eq(a.MustApp(smt.OpBVUrem, sum, word(7)), word(0)))
	}
}

// booking moves amounts between three accounts, for a fee.
func booking(p *path) {
	const transfers = 5
	a := p.a
	zero := a.Int64(0)
	var accounts []smt.Term
	for i := range 3 {
		x := p.input(fmt.Sprint("account", i), smt.SortInt)
		accounts = append(accounts, x)
	}
	fees := zero
	for _, x := range accounts {
		if !p.branch(a.MustApp(smt.OpGe, x, zero)) {
			return
		}
	}
	total := a.MustApp(smt.OpAdd, accounts...)
	for i := range transfers {
		amount := p.input(fmt.Sprint("amount", i), smt.SortInt)
		from, to := i%3, (i+1)%3
		if p.branch(a.MustApp(smt.OpLe, amount, zero)) {
			continue
		}
		cost := amount
		if p.branch(a.MustApp(smt.OpGt, amount, a.Int64(100))) {
			cost, fees = a.MustApp(smt.OpAdd, amount, a.Int64(2)), a.MustApp(smt.OpAdd, fees, a.Int64(2))
		}
		if !p.branch(a.MustApp(smt.OpGe, accounts[from], cost)) {
			continue
		}
		accounts[from] = a.MustApp(smt.OpSub, accounts[from], cost)
		accounts[to] = a.MustApp(smt.OpAdd, accounts[to], amount)
		p.require(a.MustApp(smt.OpGe, accounts[from], zero))
		p.require(a.Eq(a.MustApp(smt.OpAdd, append([]smt.Term{fees}, accounts...)...), total))
	}
}
