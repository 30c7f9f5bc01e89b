package mutate

import (
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// Stepwise turns a script that ends in assertions and one check-sat into one that checks parts of them on the way:
// assertions lie between pushes, and now and then there is a check-sat followed by a pop that takes some away again.
// Every check-sat sees a subset of the assertions, so what satisfies all of them satisfies each check. checks is the
// number of check-sats wanted, at least 1; the script has no push, pop or reset. (STORM's tool does this on text, with
// pushes and pops of as many levels as there are assertions in a block; it is an arbitrary choice.)
func Stepwise(s *smtlib.Script, r *rng.Source, checks int) *smtlib.Script {
	head := make([]smtlib.Command, 0, len(s.Commands)+4*checks)
	asserts := make([]smtlib.Command, 0, len(s.Commands))
	var last smtlib.Command
	for _, c := range s.Commands {
		switch {
		case c.Kind == smtlib.CmdAssert:
			asserts = append(asserts, c)
		case c.Kind.IsCheck():
			last = c
		case c.Kind != smtlib.CmdExit:
			head = append(head, c)
		}
	}
	if len(asserts) == 0 {
		return s
	}
	blocks := min(max(checks, 1), len(asserts))
	cuts := cutPoints(r, len(asserts), blocks)
	cmds := head
	var levels []int // levels of the pushes that are open
	from := 0
	for i, to := range cuts {
		n := r.Range(1, 3)
		cmds = append(cmds, smtlib.Command{Kind: smtlib.CmdPush, N: n})
		levels = append(levels, n)
		for _, c := range asserts[from:to] {
			cmds = append(cmds, c)
			if r.Chance(0.1) { // a level inside a block
				cmds = append(cmds, smtlib.Command{Kind: smtlib.CmdPush, N: 1})
				levels = append(levels, 1)
			}
		}
		from = to
		cmds = append(cmds, last)
		if i == len(cuts)-1 {
			break
		}
		// Popped assertions are not asserted again, so later checks are about a subset of the seed's assertions.
		if k := popDepth(r, levels); k > 0 {
			cmds = append(cmds, smtlib.Command{Kind: smtlib.CmdPop, N: k})
			levels = dropLevels(levels, k)
		}
	}
	return s.WithCommands(cmds)
}

// cutPoints divides n things into the given number of non-empty blocks. It returns the ends of the blocks in increasing
// order; the last one is n.
func cutPoints(r *rng.Source, n, blocks int) []int {
	take := make([]bool, n)
	for k := 0; k < blocks-1; {
		if i := 1 + r.Intn(n-1); !take[i] {
			take[i] = true
			k++
		}
	}
	var cuts []int
	for i := 1; i < n; i++ {
		if take[i] {
			cuts = append(cuts, i)
		}
	}
	return append(cuts, n)
}

// popDepth draws how many levels to pop, from none to all; small numbers are likelier.
func popDepth(r *rng.Source, levels []int) int {
	all := 0
	for _, n := range levels {
		all += n
	}
	return min(r.Intn(all+1), r.Intn(all+1))
}

func dropLevels(levels []int, k int) []int {
	for k > 0 {
		top := &levels[len(levels)-1]
		d := min(k, *top)
		*top -= d
		k -= d
		if *top == 0 {
			levels = levels[:len(levels)-1]
		}
	}
	return levels
}
