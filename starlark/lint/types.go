package lint

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
)

// conventional are the types of parameters by their names, in functions of which nothing else is known.
var conventional = map[string]string{
	"case": "case", "rng": "rng", "seeds": "corpus", "seed": "case", "run": "run", "runs": "list[run]", "walk": "walk", "verdict": "verdict", "term": "term",
}

// typed finds wrong attributes, calls and operators by the types of expressions, as far as they follow from the text: results of
// builtins, parameters of functions that are given to builtins, and names that have one meaning by convention. What is not known
// is not reported.
type typed struct {
	file      string
	reg       *registry.Registry
	libraries []registry.Library

	loaded   map[*syntax.Ident]*registry.Builtin // functions of the library, by the name that load binds
	defs     map[*syntax.Ident]*syntax.DefStmt   // functions of the file, by their names
	roles    map[syntax.Node]*registry.FuncType  // of definitions and lambdas: what they are called with
	vars     map[*syntax.Ident]*registry.TypeExpr
	mixed    map[*syntax.Ident]bool // variables of several types
	strict   bool                   // what has no type now never will
	report   bool
	findings []Finding
}

// types runs the checks on a resolved file.
func types(file string, tree *syntax.File, reg *registry.Registry, libraries []registry.Library) (findings []Finding, roles map[syntax.Node]*registry.FuncType) {
	c := &typed{file: file, reg: reg, libraries: libraries, loaded: map[*syntax.Ident]*registry.Builtin{}, defs: map[*syntax.Ident]*syntax.DefStmt{},
		roles: map[syntax.Node]*registry.FuncType{}, vars: map[*syntax.Ident]*registry.TypeExpr{}, mixed: map[*syntax.Ident]bool{}}
	// What a function is given to is found behind it, and what a comprehension goes through is visited behind its value: the first
	// time some types are missing, the second time those that are missing are not known.
	for _, c.strict = range []bool{false, false, true} {
		syntax.Walk(tree, c.collect)
	}
	c.report = true
	syntax.Walk(tree, c.collect)
	return c.findings, c.roles
}

func (c *typed) add(pos syntax.Position, rule, format string, args ...any) {
	if c.report {
		c.findings = append(c.findings, at(c.file, pos, rule, fmt.Sprintf(format, args...)))
	}
}

// collect looks at one node before those below it.
func (c *typed) collect(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.LoadStmt:
		c.load(n)
	case *syntax.DefStmt:
		c.defs[binding(n.Name)] = n
		c.params(n, n.Params)
	case *syntax.LambdaExpr:
		c.params(n, n.Params)
	case *syntax.AssignStmt:
		if n.Op == syntax.EQ {
			c.assign(n.LHS, c.typeOf(n.RHS))
		}
	case *syntax.ForStmt:
		c.assign(n.Vars, element(c.typeOf(n.X)))
	case *syntax.ForClause:
		c.assign(n.Vars, element(c.typeOf(n.X)))
	case *syntax.Comprehension:
		for _, clause := range n.Clauses { // before the body, which is written first
			if f, ok := clause.(*syntax.ForClause); ok {
				c.assign(f.Vars, element(c.typeOf(f.X)))
			}
		}
	case *syntax.CallExpr:
		c.call(n)
	case *syntax.DotExpr:
		c.attribute(n)
	case *syntax.IfStmt:
		c.condition(n.Cond)
	case *syntax.CondExpr:
		c.condition(n.Cond)
	case *syntax.BinaryExpr:
		c.binary(n)
	case *syntax.UnaryExpr:
		switch {
		case n.Op == syntax.NOT:
			c.condition(n.X)
		case n.Op == syntax.TILDE && isTerm(c.typeOf(n.X)):
			c.add(n.OpPos, "wrong-operator", "~ has no meaning for terms; write smt.not_(x) or smt.bvnot(x)")
		}
	}
	return true
}

// load notes what library functions a load binds, and names that a module of the library has not.
func (c *typed) load(n *syntax.LoadStmt) {
	name, _ := n.Module.Value.(string)
	for i := range c.libraries {
		l := &c.libraries[i]
		if l.Name != name {
			continue
		}
		for k, from := range n.From {
			if b := l.Lookup(from.Name); b != nil {
				c.loaded[binding(n.To[k])] = b
			}
		}
	}
}

// binding is the first mention of what a name is bound to.
func binding(id *syntax.Ident) *syntax.Ident {
	if b, ok := id.Binding.(*resolve.Binding); ok && b.First != nil {
		return b.First
	}
	return id
}

// params gives the parameters of a function their types.
func (c *typed) params(function syntax.Node, params []syntax.Expr) {
	role := c.roles[function]
	for i, p := range params {
		id, ok := p.(*syntax.Ident)
		if !ok {
			continue
		}
		switch {
		case role != nil && i < len(role.Params):
			c.vars[binding(id)] = role.Params[i]
		case role == nil && conventional[id.Name] != "":
			c.vars[binding(id)], _ = registry.ParseType(conventional[id.Name])
		}
	}
}

// assign notes the type of a variable; one with several types has none.
func (c *typed) assign(to syntax.Expr, t *registry.TypeExpr) {
	switch to := to.(type) {
	case *syntax.Ident:
		key := binding(to)
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
		c.assign(to.X, t)
	case *syntax.TupleExpr:
		for i, x := range to.List {
			switch {
			case t != nil && t.Name == "tuple" && !t.Many && i < len(t.Args) && len(t.Args) == len(to.List):
				c.assign(x, t.Args[i])
			default:
				c.assign(x, element(t))
			}
		}
	}
}

// element is what a value of a type consists of, nil where that is not known.
func element(t *registry.TypeExpr) *registry.TypeExpr {
	if t == nil {
		return nil
	}
	switch {
	case len(t.Args) > 0 && (t.Name == "list" || t.Name == "iterable" || t.Name == "set" || t.Name == "dict" || t.Name == "tuple" && t.Many):
		return settled(t.Args[0])
	case t.Name == "range":
		return &registry.TypeExpr{Name: "int"}
	}
	return nil
}

// settled is a type that says which members there are: None is left out, since a script may have asked for it.
func settled(t *registry.TypeExpr) *registry.TypeExpr {
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
	return settled(only)
}

func isTerm(t *registry.TypeExpr) bool { return t != nil && t.Name == "term" }

// typeOf is the type of an expression, nil where it is not known.
func (c *typed) typeOf(x syntax.Expr) *registry.TypeExpr {
	switch x := x.(type) {
	case *syntax.Ident:
		return settled(c.vars[binding(x)])
	case *syntax.ParenExpr:
		return c.typeOf(x.X)
	case *syntax.Literal:
		return &registry.TypeExpr{Name: map[syntax.Token]string{syntax.STRING: "str", syntax.INT: "int", syntax.FLOAT: "float"}[x.Token]}
	case *syntax.CallExpr:
		if b := c.callee(x.Fn); b != nil && b.Ret != "" {
			return c.result(b, x)
		}
	case *syntax.DotExpr:
		if b := c.member(x); b != nil && !b.IsCall() {
			t, _ := registry.ParseType(b.Ret)
			return settled(t)
		}
	case *syntax.IndexExpr:
		if t := c.typeOf(x.X); isTerm(t) {
			return t
		} else {
			return element(t)
		}
	case *syntax.BinaryExpr:
		switch x.Op {
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

// result is the type of a call; T is what the first argument consists of.
func (c *typed) result(b *registry.Builtin, call *syntax.CallExpr) *registry.TypeExpr {
	t, err := registry.ParseType(b.Ret)
	if err != nil {
		return nil
	}
	var items *registry.TypeExpr
	if len(call.Args) > 0 {
		items = element(c.typeOf(call.Args[0]))
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
	return settled(t)
}

// callee is the entry that an expression surely means.
func (c *typed) callee(fn syntax.Expr) *registry.Builtin {
	switch fn := fn.(type) {
	case *syntax.Ident:
		if b := c.loaded[binding(fn)]; b != nil {
			return b
		}
		return c.reg.Lookup(predeclared(fn))
	case *syntax.DotExpr:
		return c.member(fn)
	}
	return nil
}

// member is the entry of an attribute: of a module, or of a value whose type is known.
func (c *typed) member(dot *syntax.DotExpr) *registry.Builtin {
	if module := predeclared(dot.X); module != "" {
		return c.reg.Lookup(module + "." + dot.Name.Name)
	}
	if t := c.reg.Type(c.typeOf(dot.X)); t != nil {
		return t.Member(dot.Name.Name)
	}
	return nil
}

// attribute reports one that there is not.
func (c *typed) attribute(dot *syntax.DotExpr) {
	if predeclared(dot.X) != "" {
		return // modules are looked at elsewhere
	}
	if t := c.reg.Type(c.typeOf(dot.X)); t != nil && t.Member(dot.Name.Name) == nil {
		c.add(dot.Dot, "unknown-attribute", "%v", t.NoMember(dot.Name.Name))
	}
}

// call checks the arguments of a call by the entry that it means.
func (c *typed) call(n *syntax.CallExpr) {
	b := c.callee(n.Fn)
	if b == nil || !b.IsCall() {
		return
	}
	if _, dotted := n.Fn.(*syntax.DotExpr); !dotted && predeclared(n.Fn) == "" || dotted && calleeName(n.Fn) == "" { // the others are looked at elsewhere
		if msg := wrongCall(b, n); msg != "" {
			c.add(n.Lparen, "wrong-call", "%s: %s", b.FullName(), msg)
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
				c.argument(b, t, v)
			}
		}
		if e, ok := v.(*syntax.BinaryExpr); ok && b.Module == "smt" && (e.Op == syntax.EQL || e.Op == syntax.NEQ) && (isTerm(c.typeOf(e.X)) || isTerm(c.typeOf(e.Y))) {
			c.add(e.OpPos, "wrong-operator", "%s between terms makes no formula; write smt.eq(x, y) or smt.distinct(x, y)", e.Op)
		}
	}
}

// argument checks one argument, and notes what functions are called with.
func (c *typed) argument(b *registry.Builtin, t *registry.TypeExpr, v syntax.Expr) {
	if lit, ok := v.(*syntax.Literal); ok {
		if name, ok := lit.Value.(string); ok && slices.ContainsFunc(append([]*registry.TypeExpr{t}, t.Union...), func(u *registry.TypeExpr) bool { return u.Name == "operator" }) {
			if near := value.LikelyOperator(name); near != "" {
				c.add(lit.TokenPos, "unknown-operator", "there is no operator %q (did you mean %q?)", name, near)
			}
		}
	}
	if list, ok := v.(*syntax.ListExpr); ok {
		if e := listElement(t); e != nil {
			for _, x := range list.List {
				c.argument(b, e, x)
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
		c.role(v, v.Params, "lambda", f, v.Lambda)
	case *syntax.Ident:
		if def := c.defs[binding(v)]; def != nil {
			c.role(def, def.Params, def.Name.Name, f, v.NamePos)
			return
		}
		c.given(v, f, v.NamePos)
	case *syntax.DotExpr:
		c.given(v, f, v.Dot)
	}
}

// given checks a builtin or a function of the library that is given as a function.
func (c *typed) given(x syntax.Expr, f *registry.FuncType, pos syntax.Position) {
	b := c.callee(x)
	if b == nil || !b.IsCall() || b.CheckShape(len(f.Params), nil) == "" && b.CheckShape(0, nil) != "" {
		return
	}
	hint := ""
	if b.CheckShape(0, nil) == "" {
		hint = fmt.Sprintf("; is %s() meant?", b.FullName())
	}
	c.add(pos, "wrong-function", "%s is no function of (%s)%s", b.FullName(), strings.Join(f.Names, ", "), hint)
}

// role notes what a function is called with, and reports one that cannot be.
func (c *typed) role(function syntax.Node, params []syntax.Expr, name string, f *registry.FuncType, pos syntax.Position) {
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
		c.add(pos, "wrong-function", "%s takes %d parameters, want a function of (%s)", name, most, strings.Join(f.Names, ", "))
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

// condition reports a term where true or false is wanted.
func (c *typed) condition(x syntax.Expr) {
	if _, ok := x.(*syntax.Ident); ok {
		return // it may be None
	}
	if dot, ok := x.(*syntax.DotExpr); ok && isTerm(c.typeOf(dot)) {
		c.add(dot.Dot, "wrong-condition", "a term is neither true nor false; t == u asks whether two are the same, smt.holds(t, model) for its value")
	}
}

// binary reports operators that terms do not have.
func (c *typed) binary(n *syntax.BinaryExpr) {
	switch n.Op {
	case syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		if isTerm(c.typeOf(n.X)) || isTerm(c.typeOf(n.Y)) {
			c.add(n.OpPos, "wrong-operator", "%s has no meaning for terms; write the function of smt, such as %s", n.Op, map[syntax.Token]string{
				syntax.AMP: "smt.and_ or smt.bvand", syntax.PIPE: "smt.or_ or smt.bvor", syntax.CIRCUMFLEX: "smt.xor or smt.bvxor",
				syntax.LT: "smt.lt or smt.bvult", syntax.LE: "smt.le or smt.bvule", syntax.GT: "smt.gt or smt.bvugt", syntax.GE: "smt.ge or smt.bvuge"}[n.Op])
		}
	case syntax.EQL, syntax.NEQ:
		if t, u := c.typeOf(n.X), c.typeOf(n.Y); isTerm(t) && u != nil && (u.Name == "int" || u.Name == "str" || u.Name == "float") {
			c.add(n.OpPos, "wrong-operator", "a term is never equal to a %s; t.value is what a literal stands for, smt.eq makes a formula", u.Name)
		}
	}
}
