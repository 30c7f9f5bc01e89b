package template

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Templates may have quantifiers. The bound variables are a parameter, which stands for as many variables as a formula
// has. Formulas below the quantifier are parameters too, in which these variables may occur. Other terms below a
// quantifier must not have its variables free; this is checked when a template is matched and when it is built.

// VarName returns the name of the variable of parameter i in the terms that Compile reads.
func VarName(i int) string { return ArgName(i) + ".v" }

// BodyName returns the name of the function that stands for formula i in the terms that Compile reads: it is applied to
// the variables of the parameters, or to terms that replace them.
func BodyName(i int, variables []int) string {
	name := ArgName(i) + "/"
	for k, v := range variables {
		if k > 0 {
			name += ","
		}
		name += strconv.Itoa(v)
	}
	return name
}

// readBodyName parses a name made by BodyName, without its prefix.
func readBodyName(text string) (parameter int32, may uint32, ok bool) {
	num, variables, ok := strings.Cut(text, "/")
	if !ok {
		return 0, 0, false
	}
	k, _ := strconv.Atoi(num)
	for _, v := range strings.Split(variables, ",") {
		n, _ := strconv.Atoi(v)
		may |= 1 << n
	}
	return int32(k), may, true
}

// errVariables says that variables are used in a way that templates do not support.
var errVariables = errors.New("a quantifier binds the variables of one parameter, and they occur only below it")

// compileBinder is compileNode for variables and quantifiers.
func compileBinder(a *smt.Arena, x smt.Term, n tnode) (tnode, error) {
	n.kind = tVar
	v := x
	if n.op != smt.OpVar {
		n.kind = tBind
		n.fix = smt.SortBool
		vars := a.BoundVars(x)
		if v = vars[0]; len(vars) != 1 {
			return n, errVariables
		}
	}
	num, ok := strings.CutPrefix(a.VarName(v), "arg!")
	num, isVar := strings.CutSuffix(num, ".v")
	k, err := strconv.Atoi(num)
	if !ok || !isVar || err != nil {
		return n, fmt.Errorf("%s is no variable of a parameter", a.VarName(v))
	}
	n.n = int32(k)
	return n, nil
}

// bodyArguments returns the terms that replace the variables of a formula, or none if the formula is used unchanged.
func (n *tnode) bodyArguments(a *smt.Arena, args []smt.Term) ([]smt.Term, error) {
	k, own := 0, 0
	for v := range 32 {
		if n.may&(1<<v) == 0 {
			continue
		}
		if k < len(args) && a.Op(args[k]) == smt.OpVar && a.VarName(args[k]) == VarName(v) {
			own++
		}
		k++
	}
	if k != len(args) {
		return nil, errVariables
	}
	if own == k {
		return nil, nil
	}
	return args, nil
}

// dropUnused drops the nodes that are not the argument of any node: variables of quantifiers and of formulas.
func (t *Template) dropUnused() {
	if !slices.ContainsFunc(t.nodes, func(n tnode) bool { return n.kind == tVar }) {
		return
	}
	used := make([]bool, len(t.nodes))
	used[t.root] = true
	for k := len(t.nodes) - 1; k >= 0; k-- {
		for _, arg := range t.nodes[k].args {
			used[arg] = used[arg] || used[k]
		}
	}
	var nodes []tnode
	at := make([]int32, len(t.nodes))
	for k, n := range t.nodes {
		if !used[k] {
			continue
		}
		for i, arg := range n.args {
			n.args[i] = at[arg]
		}
		at[k] = int32(len(nodes))
		nodes = append(nodes, n)
	}
	t.nodes, t.root = nodes, at[t.root]
}

// bindVariables checks that variables occur only below their quantifier, and records which parameters must be free of
// them. scope is a bit set of the parameters whose variables are bound.
func (t *Template) bindVariables(at int32, scope uint32) error {
	n := &t.nodes[at]
	switch n.kind {
	case tVar:
		if scope&(1<<n.n) == 0 {
			return errVariables
		}
	case tBody:
		if len(n.args) == 0 && n.may&^scope != 0 {
			return errVariables
		}
	case tBind:
		if scope&(1<<n.n) != 0 {
			return errVariables
		}
		n.may = scope
		scope |= 1 << n.n
		n.closed = t.closedBelow(n.args[0], n.n, nil)
	}
	for _, k := range n.args {
		if err := t.bindVariables(k, scope); err != nil {
			return err
		}
	}
	return nil
}

// closedBelow lists the parameters below a node in which the variables of a parameter must not occur.
func (t *Template) closedBelow(at, variables int32, closed []int32) []int32 {
	n := &t.nodes[at]
	switch n.kind {
	case tArg, tList:
	case tBody:
		if len(n.args) == 0 && n.may&(1<<variables) != 0 {
			return closed
		}
	default:
		for _, k := range n.args {
			closed = t.closedBelow(k, variables, closed)
		}
		return closed
	}
	if !slices.Contains(closed, n.n) {
		closed = append(closed, n.n)
	}
	for _, k := range n.args {
		closed = t.closedBelow(k, variables, closed)
	}
	return closed
}

// quantifier builds a quantifier. It returns ErrNone if its variables would capture variables of the terms below it.
func (m *Builder) quantifier(t *Template, n *tnode, args []smt.Term) (smt.Term, error) {
	vars := m.Vars[n.n]
	if len(vars) == 0 {
		return 0, ErrNone
	}
	for _, k := range n.closed {
		if args[k] != 0 && occurs(m.Arena, &m.free, vars, args[k]) {
			return 0, ErrNone
		}
		if int(k) < len(m.Lists) && occurs(m.Arena, &m.free, vars, m.Lists[k]...) {
			return 0, ErrNone
		}
	}
	for v, around := range m.Vars {
		if n.may&(1<<v) != 0 && namesake(m.Arena, vars, around) {
			return 0, ErrNone
		}
	}
	return m.Arena.Quant(n.op, vars, m.slots[n.args[0]])
}

// body builds a formula and replaces its variables by terms, if any are given.
func (m *Builder) body(n *tnode, args []smt.Term) (smt.Term, error) {
	if len(n.args) == 0 {
		return args[n.n], nil
	}
	to := map[smt.Term]smt.Term{}
	for i, k := range n.args {
		v := variableNumber(n.may, i)
		if len(m.Vars[v]) != 1 {
			return 0, ErrNone
		}
		to[m.Vars[v][0]] = m.slots[k]
	}
	return m.Arena.Subst(args[n.n], to)
}

// variableNumber returns the parameter for the i-th set bit.
func variableNumber(may uint32, i int) int {
	for range i {
		may &= may - 1
	}
	return bits.TrailingZeros32(may)
}

// occurs reports whether one of the variables is free in terms; variables with the same name count as the same.
func occurs(a *smt.Arena, free *smt.FreeVarSets, vars []smt.Term, terms ...smt.Term) bool {
	return slices.ContainsFunc(terms, func(t smt.Term) bool { return namesake(a, vars, free.Of(a, t)) })
}

// namesake reports whether two lists of variables have a name in common.
func namesake(a *smt.Arena, vars, others []smt.Term) bool {
	for _, v := range vars {
		for _, w := range others {
			if v == w || a.VarName(v) == a.VarName(w) {
				return true
			}
		}
	}
	return false
}

// quantified matches a quantifier: its variables are those of the parameter, and none is bound by an enclosing
// quantifier.
func (m *Matcher) quantified(n *shapeNode, t smt.Term) bool {
	a := m.Arena
	if a.Op(t) != n.op {
		return false
	}
	vars := a.BoundVars(t)
	switch {
	case m.Vars[n.n] == nil:
		m.Vars[n.n] = vars
		m.trail = append(m.trail, boundVariables+n.n)
	case !slices.Equal(m.Vars[n.n], vars):
		return false
	}
	for _, k := range m.scope {
		if namesake(a, vars, m.Vars[k]) {
			return false
		}
	}
	m.scope = append(m.scope, n.n)
	ok := m.node(n.args[0], a.Body(t))
	m.scope = m.scope[:len(m.scope)-1]
	return ok
}

// mayHave reports whether a term contains no variables of the enclosing quantifiers except those of the parameters in
// may.
func (m *Matcher) mayHave(t smt.Term, may uint32) bool {
	for _, k := range m.scope {
		if may&(1<<k) == 0 && occurs(m.Arena, &m.free, m.Vars[k], t) {
			return false
		}
	}
	return true
}
