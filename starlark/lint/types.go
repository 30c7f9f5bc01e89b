package lint

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// conventional are the types of parameters by their names, in functions of which nothing else is known.
var conventional = map[string]string{
	"case": "case", "rng": "rng", "seeds": "corpus", "seed": "case", "run": "run", "runs": "list[run]", "walk": "walk", "verdict": "verdict", "term": "term",
}

// typed finds wrong attributes, calls and operators by the types of expressions, as far as they follow from the text:
// results of builtins, parameters of functions that are given to builtins, and names that have one meaning by
// convention. Expressions of unknown type are not reported.
type typed struct {
	file      string
	reg       *registry.Registry
	libraries []registry.Library

	loaded   map[*syntax.Ident]*registry.Builtin // functions of the library, by the name that load binds
	defs     map[*syntax.Ident]*syntax.DefStmt   // functions of the file, by their names
	roles    map[syntax.Node]*registry.FuncType  // of definitions and lambdas: the types that they are called with
	vars     map[*syntax.Ident]*registry.TypeExpr
	mixed    map[*syntax.Ident]bool // variables of several types
	strict   bool                   // what has no type now never will
	report   bool
	findings []lintFinding
}

// checkTypes runs the checks on a resolved file.
func checkTypes(file string, tree *syntax.File, reg *registry.Registry, libraries []registry.Library) (findings []lintFinding, roles map[syntax.Node]*registry.FuncType) {
	c := &typed{file: file, reg: reg, libraries: libraries, loaded: map[*syntax.Ident]*registry.Builtin{}, defs: map[*syntax.Ident]*syntax.DefStmt{},
		roles: map[syntax.Node]*registry.FuncType{}, vars: map[*syntax.Ident]*registry.TypeExpr{}, mixed: map[*syntax.Ident]bool{}}
	// The use of a function comes after its definition, and the iterable of a comprehension is visited after its value.
	// So the first pass misses some types; types still missing in the second pass are unknown.
	for _, c.strict = range []bool{false, false, true} {
		syntax.Walk(tree, c.visitNode)
	}
	c.report = true
	syntax.Walk(tree, c.visitNode)
	return c.findings, c.roles
}

func (c *typed) addFinding(pos syntax.Position, rule, format string, args ...any) {
	if c.report {
		c.findings = append(c.findings, findingAt(c.file, pos, rule, fmt.Sprintf(format, args...)))
	}
}

// visitNode looks at one node before those below it.
func (c *typed) visitNode(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.LoadStmt:
		c.noteLoad(n)
	case *syntax.DefStmt:
		c.defs[firstMention(n.Name)] = n
		c.setParameterTypes(n, n.Params)
	case *syntax.LambdaExpr:
		c.setParameterTypes(n, n.Params)
	case *syntax.AssignStmt:
		if n.Op == syntax.EQ {
			c.noteAssignment(n.LHS, c.typeOf(n.RHS))
		}
	case *syntax.ExprStmt:
		c.checkResult(n)
	case *syntax.ForStmt:
		c.noteAssignment(n.Vars, elementType(c.typeOf(n.X)))
	case *syntax.ForClause:
		c.noteAssignment(n.Vars, elementType(c.typeOf(n.X)))
	case *syntax.Comprehension:
		for _, clause := range n.Clauses { // before the body, which is written first
			if f, ok := clause.(*syntax.ForClause); ok {
				c.noteAssignment(f.Vars, elementType(c.typeOf(f.X)))
			}
		}
	case *syntax.CallExpr:
		c.checkCall(n)
	case *syntax.DotExpr:
		c.checkAttribute(n)
	case *syntax.IfStmt:
		c.checkCondition(n.Cond)
	case *syntax.CondExpr:
		c.checkCondition(n.Cond)
	case *syntax.BinaryExpr:
		c.checkBinary(n)
	case *syntax.UnaryExpr:
		switch {
		case n.Op == syntax.NOT:
			c.checkCondition(n.X)
		case n.Op == syntax.TILDE && isTerm(c.typeOf(n.X)):
			// Reported although the script would fail here anyway: it may only get here in the middle of a campaign.
			c.addFinding(n.OpPos, "wrong-operator", "~ has no meaning for terms; write smt.not_(x) or smt.bvnot(x)")
		}
	}
	return true
}

// unusedResults are types of values that a function of ours returns and does nothing else: who does not use the value
// has forgotten to.
var unusedResults = map[string]string{
	"verdict": "return it", "case": "cases do not change: use the one that it returns", "term": "terms do not change: use the one that it returns",
}

// checkResult reports a call in a line of its own whose only effect is its result.
func (c *typed) checkResult(n *syntax.ExprStmt) {
	call, ok := n.X.(*syntax.CallExpr)
	if !ok {
		return
	}
	member, ok := call.Fn.(*syntax.DotExpr)
	if !ok {
		return
	}
	if t := c.typeOf(call); t != nil && t.Union == nil && unusedResults[t.Name] != "" {
		of := c.typeOf(member.X)
		if t.Name != "verdict" && (of == nil || of.Name != t.Name) { // smt.case(text) alone checks the text
			return
		}
		start, _ := call.Span()
		c.addFinding(start, "unused-result", "the result of this call is not used; %s", unusedResults[t.Name])
	}
}

// noteLoad notes what library functions a load binds, and names that a module of the library has not.
func (c *typed) noteLoad(n *syntax.LoadStmt) {
	name, _ := n.Module.Value.(string)
	for i := range c.libraries {
		l := &c.libraries[i]
		if l.Name != name {
			continue
		}
		for k, from := range n.From {
			if b := l.Lookup(from.Name); b != nil {
				c.loaded[firstMention(n.To[k])] = b
			}
		}
	}
}

// firstMention returns the first identifier with the same binding as id.
func firstMention(id *syntax.Ident) *syntax.Ident {
	if b, ok := id.Binding.(*resolve.Binding); ok && b.First != nil {
		return b.First
	}
	return id
}

// setParameterTypes gives the parameters of a function their types.
func (c *typed) setParameterTypes(function syntax.Node, params []syntax.Expr) {
	role := c.roles[function]
	for i, p := range params {
		id, ok := p.(*syntax.Ident)
		if !ok {
			continue
		}
		switch {
		case role != nil && i < len(role.Params):
			c.vars[firstMention(id)] = role.Params[i]
		case role == nil && conventional[id.Name] != "":
			c.vars[firstMention(id)], _ = registry.ParseType(conventional[id.Name])
		}
	}
}

// noteAssignment notes the type of a variable; one with several types has none.
func (c *typed) noteAssignment(to syntax.Expr, t *registry.TypeExpr) {
	switch to := to.(type) {
	case *syntax.Ident:
		key := firstMention(to)
		old := c.vars[key]
		switch {
		case c.mixed[key]:
		case old != nil && (t == nil && c.strict || t != nil && old.String() != t.String()):
			delete(c.vars, key)
			c.mixed[key] = true
		case t == nil:
			c.mixed[key] = c.strict
		default:
			c.vars[key] = t
		}
	case *syntax.ParenExpr:
		c.noteAssignment(to.X, t)
	case *syntax.TupleExpr:
		for i, x := range to.List {
			switch {
			case t != nil && t.Name == "tuple" && !t.Many && i < len(t.Args) && len(t.Args) == len(to.List):
				c.noteAssignment(x, t.Args[i])
			default:
				c.noteAssignment(x, elementType(t))
			}
		}
	}
}

// elementType returns the type of the elements of a value, nil where that is not known.
func elementType(t *registry.TypeExpr) *registry.TypeExpr {
	if t == nil {
		return nil
	}
	switch {
	case len(t.Args) > 0 && (t.Name == "list" || t.Name == "iterable" || t.Name == "set" || t.Name == "dict" || t.Name == "tuple" && t.Many):
		return knownType(t.Args[0])
	case t.Name == "range":
		return &registry.TypeExpr{Name: "int"}
	}
	return nil
}

// knownType is a type that says which members there are: None is left out, since a script may have asked for it.
func knownType(t *registry.TypeExpr) *registry.TypeExpr {
	if t == nil || t.Name == "any" || t.Name == "T" || t.Name == "None" {
		return nil
	}
	if t.Union == nil {
		return t
	}
	var only *registry.TypeExpr
	for _, u := range t.Union {
		if u.Name == "None" {
			continue
		}
		if only != nil {
			return nil
		}
		only = u
	}
	return knownType(only)
}

func isTerm(t *registry.TypeExpr) bool { return t != nil && t.Name == "term" }

// typeOf is the type of an expression, nil where it is not known.
func (c *typed) typeOf(x syntax.Expr) *registry.TypeExpr {
	switch x := x.(type) {
	case *syntax.Ident:
		return knownType(c.vars[firstMention(x)])
	case *syntax.ParenExpr:
		return c.typeOf(x.X)
	case *syntax.Literal:
		return &registry.TypeExpr{Name: map[syntax.Token]string{syntax.STRING: "str", syntax.INT: "int", syntax.FLOAT: "float"}[x.Token]}
	case *syntax.CallExpr:
		if b := c.calleeEntry(x.Fn); b != nil && b.Ret != "" {
			return c.resultType(b, x)
		}
	case *syntax.DotExpr:
		if b := c.memberEntry(x); b != nil && !b.IsCall() {
			t, _ := registry.ParseType(b.Ret)
			return knownType(t)
		}
	case *syntax.IndexExpr:
		if t := c.typeOf(x.X); isTerm(t) {
			return t
		} else {
			return elementType(t)
		}
	case *syntax.BinaryExpr:
		switch x.Op {
		// "x or y" is mostly written for a default, which is of the type of x.
		case syntax.OR:
			return c.typeOf(x.X)
		case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE, syntax.IN, syntax.NOT_IN:
			return &registry.TypeExpr{Name: "bool"}
		}
		if t := c.typeOf(x.X); isTerm(t) {
			return t
		}
	case *syntax.ListExpr:
		return c.listOf(x.List)
	case *syntax.Comprehension:
		if !x.Curly {
			if t := c.typeOf(x.Body); t != nil {
				return &registry.TypeExpr{Name: "list", Args: []*registry.TypeExpr{t}}
			}
		}
	case *syntax.CondExpr:
		t, f := c.typeOf(x.True), c.typeOf(x.False)
		if t != nil && f != nil && t.String() == f.String() {
			return t
		}
	}
	return nil
}

func (c *typed) listOf(list []syntax.Expr) *registry.TypeExpr {
	var all *registry.TypeExpr
	for _, x := range list {
		t := c.typeOf(x)
		if t == nil || all != nil && all.String() != t.String() {
			return nil
		}
		all = t
	}
	if all == nil {
		return nil
	}
	return &registry.TypeExpr{Name: "list", Args: []*registry.TypeExpr{all}}
}

// resultType returns the type of a call; T is the element type of the first argument.
func (c *typed) resultType(b *registry.Builtin, call *syntax.CallExpr) *registry.TypeExpr {
	t, err := registry.ParseType(b.Ret)
	if err != nil {
		return nil
	}
	var items *registry.TypeExpr
	if len(call.Args) > 0 {
		items = elementType(c.typeOf(call.Args[0]))
	}
	ofT := func(t *registry.TypeExpr) bool { return t.Name == "T" }
	switch {
	case ofT(t) || slices.ContainsFunc(t.Union, ofT):
		return items
	case slices.ContainsFunc(t.Args, ofT):
		if items == nil {
			return nil
		}
		return &registry.TypeExpr{Name: t.Name, Args: []*registry.TypeExpr{items}}
	}
	return knownType(t)
}

// calleeEntry is the entry that an expression surely means.
func (c *typed) calleeEntry(fn syntax.Expr) *registry.Builtin {
	switch fn := fn.(type) {
	case *syntax.Ident:
		if b := c.loaded[firstMention(fn)]; b != nil {
			return b
		}
		return c.reg.Lookup(predeclaredName(fn))
	case *syntax.DotExpr:
		return c.memberEntry(fn)
	}
	return nil
}

// memberEntry is the entry of an attribute: of a module, or of a value whose type is known.
func (c *typed) memberEntry(dot *syntax.DotExpr) *registry.Builtin {
	if module := predeclaredName(dot.X); module != "" {
		return c.reg.Lookup(module + "." + dot.Name.Name)
	}
	if t := c.reg.Type(c.typeOf(dot.X)); t != nil {
		return t.Member(dot.Name.Name)
	}
	return nil
}

// checkAttribute reports one that there is not.
func (c *typed) checkAttribute(dot *syntax.DotExpr) {
	if predeclaredName(dot.X) != "" {
		return // modules are looked at elsewhere
	}
	if t := c.reg.Type(c.typeOf(dot.X)); t != nil && t.Member(dot.Name.Name) == nil {
		c.addFinding(dot.Dot, "unknown-attribute", "%v", t.NoMember(dot.Name.Name))
	}
}

// checkCall checks the arguments of a call by the entry that it means.
func (c *typed) checkCall(n *syntax.CallExpr) {
	b := c.calleeEntry(n.Fn)
	if b == nil || !b.IsCall() {
		return
	}
	if _, dotted := n.Fn.(*syntax.DotExpr); !dotted && predeclaredName(n.Fn) == "" || dotted && calleeName(n.Fn) == "" { // the others are looked at elsewhere
		if msg := wrongCall(b, n); msg != "" {
			c.addFinding(n.Lparen, "wrong-call", "%s: %s", b.FullName(), msg)
		}
	}
	positional := 0
	for _, arg := range n.Args {
		name, v := "", arg
		if e, ok := arg.(*syntax.BinaryExpr); ok && e.Op == syntax.EQ {
			if id, ok := e.X.(*syntax.Ident); ok {
				name, v = id.Name, e.Y
			}
		} else {
			positional++
		}
		if p := b.ParamAt(positional-1, name); p != nil {
			if t, err := registry.ParseType(p.Type); err == nil {
				c.checkArgument(b, t, v)
			}
		}
		if e, ok := v.(*syntax.BinaryExpr); ok && b.Module == "smt" && (e.Op == syntax.EQL || e.Op == syntax.NEQ) && (isTerm(c.typeOf(e.X)) || isTerm(c.typeOf(e.Y))) {
			c.addFinding(e.OpPos, "wrong-operator", "%s between terms makes no formula; write smt.eq(x, y) or smt.distinct(x, y)", e.Op)
		}
	}
}

// checkArgument checks one argument, and notes what functions are called with.
func (c *typed) checkArgument(b *registry.Builtin, t *registry.TypeExpr, v syntax.Expr) {
	if lit, ok := v.(*syntax.Literal); ok {
		if name, ok := lit.Value.(string); ok && slices.ContainsFunc(append([]*registry.TypeExpr{t}, t.Union...), func(u *registry.TypeExpr) bool { return u.Name == "operator" }) {
			if near := smt.LikelyOperator(name); near != "" {
				c.addFinding(lit.TokenPos, "unknown-operator", "there is no operator %q (did you mean %q?)", name, near)
			}
		}
	}
	if list, ok := v.(*syntax.ListExpr); ok {
		if e := listElement(t); e != nil {
			for _, x := range list.List {
				c.checkArgument(b, e, x)
			}
		}
		return
	}
	f := functionType(t)
	if f == nil {
		return
	}
	switch v := v.(type) {
	case *syntax.LambdaExpr:
		c.noteRole(v, v.Params, "lambda", f, v.Lambda)
	case *syntax.Ident:
		if def := c.defs[firstMention(v)]; def != nil {
			c.noteRole(def, def.Params, def.Name.Name, f, v.NamePos)
			return
		}
		c.checkGivenFunction(v, f, v.NamePos)
	case *syntax.DotExpr:
		c.checkGivenFunction(v, f, v.Dot)
	}
}

// checkGivenFunction checks a builtin or a function of the library that is given as a function.
func (c *typed) checkGivenFunction(x syntax.Expr, f *registry.FuncType, pos syntax.Position) {
	b := c.calleeEntry(x)
	if b == nil || !b.IsCall() || b.CheckShape(len(f.Params), nil) == "" && b.CheckShape(0, nil) != "" {
		return
	}
	hint := ""
	if b.CheckShape(0, nil) == "" {
		hint = fmt.Sprintf("; is %s() meant?", b.FullName())
	}
	c.addFinding(pos, "wrong-function", "%s is no function of (%s)%s", b.FullName(), strings.Join(f.Names, ", "), hint)
}

// noteRole records the type that a function is called with, and reports a function that does not fit it.
func (c *typed) noteRole(function syntax.Node, params []syntax.Expr, name string, f *registry.FuncType, pos syntax.Position) {
	c.roles[function] = f
	least, most := 0, len(params)
	for _, p := range params {
		switch p.(type) {
		case *syntax.Ident:
			least++
		case *syntax.UnaryExpr:
			return // *args
		}
	}
	if n := len(f.Params); n < least || n > most {
		c.addFinding(pos, "wrong-function", "%s takes %d parameters, want a function of (%s)", name, most, strings.Join(f.Names, ", "))
	}
}

func functionType(t *registry.TypeExpr) *registry.FuncType {
	for _, u := range append([]*registry.TypeExpr{t}, t.Union...) {
		if u.Func != nil {
			return u.Func
		}
	}
	return nil
}

func listElement(t *registry.TypeExpr) *registry.TypeExpr {
	for _, u := range append([]*registry.TypeExpr{t}, t.Union...) {
		if (u.Name == "list" || u.Name == "iterable") && len(u.Args) > 0 {
			return u.Args[0]
		}
	}
	return nil
}

// checkCondition reports a term where true or false is wanted.
func (c *typed) checkCondition(x syntax.Expr) {
	if _, ok := x.(*syntax.Ident); ok {
		return // it may be None
	}
	if dot, ok := x.(*syntax.DotExpr); ok && isTerm(c.typeOf(dot)) {
		c.addFinding(dot.Dot, "wrong-condition", "a term is neither true nor false; t == u asks whether two are the same, smt.holds(t, model) for its value")
	}
}

// checkBinary reports operators that terms do not have.
func (c *typed) checkBinary(n *syntax.BinaryExpr) {
	switch n.Op {
	case syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		if isTerm(c.typeOf(n.X)) || isTerm(c.typeOf(n.Y)) {
			c.addFinding(n.OpPos, "wrong-operator", "%s has no meaning for terms; write the function of smt, such as %s", n.Op, map[syntax.Token]string{
				syntax.AMP: "smt.and_ or smt.bvand", syntax.PIPE: "smt.or_ or smt.bvor", syntax.CIRCUMFLEX: "smt.xor or smt.bvxor",
				syntax.LT: "smt.lt or smt.bvult", syntax.LE: "smt.le or smt.bvule", syntax.GT: "smt.gt or smt.bvugt", syntax.GE: "smt.ge or smt.bvuge"}[n.Op])
		}
	case syntax.EQL, syntax.NEQ:
		if t, u := c.typeOf(n.X), c.typeOf(n.Y); isTerm(t) && u != nil && (u.Name == "int" || u.Name == "str" || u.Name == "float") {
			c.addFinding(n.OpPos, "wrong-operator", "a term is never equal to a %s; t.value is what a literal stands for, smt.eq makes a formula", u.Name)
		}
	}
}
