package claim

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// partition is an element of (get-interpolants P1 ... Pn): the assertions of a node of the tree of interpolants.
type partition struct {
	formulas []smt.Term
	first    int   // number of the first partition of its subtree
	children []int // numbers of its children, in their order
}

// readInterpolants reads the reply to (get-interpolants P1 ... Pn), in which each P is the name of an assertion or (and
// NAME...): a sequence of n-1 interpolants or, where parentheses stand around subtrees, a tree in postorder, as
// SMTInterpol has it. The interpolants of the children and the assertions of a partition imply its interpolant; for the
// last partition they are unsatisfiable together. The symbols of an interpolant occur both in its subtree and outside.
func readInterpolants(q *question) *Statement {
	command, err1 := smtlib.ParseSExprs(q.command.Text)
	reply, err2 := smtlib.ParseSExprs(q.reply)
	if err1 != nil || err2 != nil || len(command) != 1 || len(reply) != 1 || !reply[0].IsList() {
		return nil
	}
	parts := q.readPartitions(command[0].List[1:])
	if len(parts) < 2 || !q.coversAssertions(parts) {
		return nil
	}
	a := q.script.Arena
	if len(reply[0].List) != len(parts)-1 {
		return &Statement{Malformed: "get-interpolants gives another number of interpolants than partitions need"}
	}
	interpolants := make([]smt.Term, len(parts))
	for i := range reply[0].List {
		t, ok := q.readTerm(&reply[0].List[i])
		if !ok || a.Sort(t) != smt.SortBool {
			return nil
		}
		interpolants[i] = t
	}
	interpolants[len(parts)-1] = a.False()
	s := &Statement{}
	for i := range parts {
		premises := slices.Clone(parts[i].formulas)
		for _, k := range parts[i].children {
			premises = append(premises, interpolants[k])
		}
		s.Conditions = append(s.Conditions, q.follows("an interpolant does not follow from its partition and the interpolants before it",
			premises, interpolants[i]))
		if s.Malformed == "" {
			inside, outside := formulasOf(parts[parts[i].first:i+1]), append(formulasOf(parts[:parts[i].first]), formulasOf(parts[i+1:])...)
			s.Malformed = notShared(a, interpolants[i], inside, outside)
		}
	}
	return s
}

func formulasOf(parts []partition) (out []smt.Term) {
	for i := range parts {
		out = append(out, parts[i].formulas...)
	}
	return out
}

// readPartitions reads the arguments of get-interpolants; nil if they name something that is not an assertion.
func (q *question) readPartitions(arguments []smtlib.SExpr) []partition {
	byName := q.named()
	var parts []partition
	// read reads a list of partitions in postorder, and reports whether it could. Each element of the list continues the
	// tree before it; an element in parentheses begins a new one.
	var read func(list []smtlib.SExpr) bool
	read = func(list []smtlib.SExpr) bool {
		begin := len(parts)
		var roots []int // of the trees so far in this list that have no parent yet
		for i := range list {
			e := &list[i]
			if e.IsList() && e.Head() != "and" {
				if i == 0 || !read(e.List) {
					return false
				}
				roots = append(roots, len(parts)-1)
				continue
			}
			p := partition{first: begin, children: roots}
			names := []smtlib.SExpr{*e}
			if e.IsList() {
				names = e.List[1:]
			}
			for k := range names {
				t := byName[names[k].Symbol()]
				if t == 0 {
					return false
				}
				p.formulas = append(p.formulas, t)
			}
			parts = append(parts, p)
			roots = []int{len(parts) - 1}
		}
		return len(roots) == 1
	}
	if !read(arguments) {
		return nil
	}
	return parts
}

// coversAssertions reports whether each assertion belongs to exactly one partition. Solvers differ in how they treat
// the others.
func (q *question) coversAssertions(parts []partition) bool {
	named := formulasOf(parts)
	slices.Sort(named)
	all := slices.Clone(q.Asserted)
	slices.Sort(all)
	return slices.Equal(named, all)
}
