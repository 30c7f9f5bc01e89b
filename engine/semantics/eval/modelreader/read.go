package modelreader

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// Parse reads a solver's reply to get-model, or to get-value, in the scope of a script: z3, cvc5, cvc4, bitwuzla and
// boolector are understood. A constant whose value cannot be read or is not known exactly, such as an algebraic number,
// has the reason in place of its value. It is an error if the reply is not a model at all.
func Parse(script *smtlib.Script, reply string) (*model.Model, error) {
	p, exprs, err := newReplyParser(script, model.New(script.Arena), reply)
	if err != nil {
		return nil, err
	}
	defer p.scope.Close()
	p.readComments(reply)
	found := false
	for i := range exprs {
		e := &exprs[i]
		switch {
		case !e.IsList():
			continue // sat, unknown, …
		case e.Head() == "error":
			return nil, fmt.Errorf("the reply is an error, not a model: %s", e.String())
		case isDefinition(e.Head()):
			found = true
			p.definition(e)
			continue
		}
		found = true
		list := e.List
		if e.Head() == "model" {
			list = list[1:]
		}
		p.entries(list)
	}
	if !found {
		return nil, fmt.Errorf("the reply holds no model: %q", display.Cut(reply, 80))
	}
	p.define()
	return p.m, nil
}

// ParseValues reads the reply to get-value. Abstract values are those of the model; new ones are added to it. The
// model's interpretations of constants and functions do not change. The model may be nil.
func ParseValues(script *smtlib.Script, m *model.Model, reply string) ([]value.TermValue, error) {
	if m == nil {
		m = model.New(script.Arena)
	}
	p, exprs, err := newReplyParser(script, m, reply)
	if err != nil {
		return nil, err
	}
	defer p.scope.Close()
	p.valuesOnly = true
	for i := range exprs {
		e := &exprs[i]
		switch {
		case !e.IsList():
			continue
		case e.Head() == "error":
			return nil, fmt.Errorf("the reply is an error, not a list of values: %s", e.String())
		}
		p.entries(e.List)
	}
	p.define()
	if len(p.pairs) == 0 {
		return nil, fmt.Errorf("the reply holds no values: %q", display.Cut(reply, 80))
	}
	return p.pairs, nil
}

type replyParser struct {
	a      *smt.Arena
	m      *model.Model
	scope  *smtlib.Scope
	key    string // names this reply, for symbols of its own
	byName map[string][]smt.Symbol
	// constructors are the names of the script's constructors.
	constructors map[string]bool
	defs         []*definition
	aux          map[string]*definition // by name, for as-array
	byOwn        map[smt.Symbol]*definition
	pairs        []value.TermValue
	// valuesOnly leaves the model's interpretations alone.
	valuesOnly bool
	ev         *eval.Evaluator // for ground terms in the tables of functions
}

// definition is a define-fun of a model.
type definition struct {
	name   string
	sym    smt.Symbol // of the script; 0 for a function that the solver made up
	own    smt.Symbol // of the model, for such a function
	op     smt.Op     // the partial operator that it interprets
	vars   []smt.Term
	result smt.Sort
	text   *smtlib.SExpr
	body   smt.Term
	err    error
	state  resolution
}

type resolution uint8

const (
	unresolved resolution = iota
	resolving
	resolved
)

func newReplyParser(script *smtlib.Script, m *model.Model, reply string) (*replyParser, []smtlib.SExpr, error) {
	exprs, err := smtlib.ParseSExprs(bareElement().ReplaceAllString(reply, "(as |@$1_$2| "))
	if err != nil {
		return nil, nil, fmt.Errorf("the reply is cut or no S-expression: %w", err)
	}
	h := fnv.New128a()
	h.Write([]byte(reply))
	p := &replyParser{a: script.Arena, m: m, scope: script.Scope(), key: fmt.Sprintf("%x", h.Sum(nil)),
		byName: map[string][]smt.Symbol{}, constructors: map[string]bool{}, aux: map[string]*definition{}, byOwn: map[smt.Symbol]*definition{}}
	p.scope.Lenient = true
	for _, c := range script.Declarations() {
		if len(c.Sorts) > 0 { // a witness also speaks of sorts that pop and reset have taken away at the end
			p.scope.Add(&c)
		}
		for _, f := range c.Symbols {
			p.addSymbol(f)
		}
		for _, s := range c.Sorts {
			if dt := p.a.Datatype(s); dt != nil {
				for _, k := range dt.Constructors {
					p.constructors[k.Name] = true
					for _, sel := range k.Selectors {
						p.addSymbol(sel)
					}
				}
			}
		}
	}
	for f := range m.ElementNames() {
		p.scope.BindSymbol(f)
	}
	return p, exprs, nil
}

func (p *replyParser) addSymbol(f smt.Symbol) {
	name := p.a.SymbolName(f)
	if !slices.Contains(p.byName[name], f) {
		p.byName[name] = append(p.byName[name], f)
	}
}

func isDefinition(head string) bool {
	switch head {
	case "define-fun", "define-fun-rec", "define-const", "define-funs-rec":
		return true
	}
	return false
}

// entries reads the elements of a model or of a list of values.
func (p *replyParser) entries(list []smtlib.SExpr) {
	// Elements of universes come first, whatever the order: definitions use them.
	for i := range list {
		e := &list[i]
		if e.Head() == "declare-fun" && len(e.List) == 4 || e.Head() == "declare-const" && len(e.List) == 3 {
			if s, err := p.scope.Sort(e.List[len(e.List)-1].String()); err == nil && p.a.SortKind(s) == smt.KindUser {
				p.element(s, e.List[1].Symbol())
			}
		}
	}
	for i := range list {
		p.abstractValues(&list[i])
	}
	for i := range list {
		e := &list[i]
		switch head := e.Head(); {
		case isDefinition(head):
			p.definition(e)
		case head == "forall":
			p.closeUniverse(e)
		case strings.HasPrefix(head, "declare-"):
		case len(e.List) == 2:
			p.pair(e)
		}
	}
}

// element makes a name stand for the next element of a universe.
func (p *replyParser) element(s smt.Sort, name string) {
	if name == "" {
		return
	}
	f := p.m.NameElement(s, name)
	p.scope.BindSymbol(f)
}

// closeUniverse reads z3's cardinality constraint: the universe of the sort consists of the declared elements.
func (p *replyParser) closeUniverse(e *smtlib.SExpr) {
	if len(e.List) != 3 || len(e.List[1].List) != 1 || len(e.List[1].List[0].List) != 2 {
		return
	}
	s, err := p.scope.Sort(e.List[1].List[0].List[1].String())
	if err != nil {
		return
	}
	p.m.CloseUniverse(s)
}

var (
	cardinalityLine = pattern.Lazy(`(?m)^\s*;+\s*cardinality of (.+) is (\d+)\s*$`)
	// cvc5 1.0 prints elements of parametric sorts without bars: (as @(V Int)_0 (V Int)).
	bareElement = pattern.Lazy(`\(as @(\((?:[^()|]|\([^()|]*\))*\))_(\d+) `)
	repLine     = pattern.Lazy(`^\s*;+\s*rep: (.+?)\s*$`)
)

// readComments reads the comments in which cvc4, cvc5 and Model.Text describe universes.
func (p *replyParser) readComments(reply string) {
	if !strings.Contains(reply, "cardinality of") {
		return
	}
	var sort smt.Sort
	for _, line := range strings.Split(reply, "\n") {
		if m := cardinalityLine().FindStringSubmatch(line); m != nil {
			s, err := p.scope.Sort(m[1])
			n, err2 := strconv.ParseUint(m[2], 10, 62)
			if err != nil || err2 != nil || p.a.SortKind(s) != smt.KindUser || n == 0 {
				sort = 0
				continue
			}
			sort = s
			p.m.SetUniverse(s, n)
		} else if m := repLine().FindStringSubmatch(line); m != nil && sort != 0 {
			if e, err := smtlib.ParseSExprs(m[1]); err == nil && len(e) == 1 {
				if !e[0].IsList() {
					p.element(sort, e[0].Symbol())
				} else if e[0].Head() == "as" && len(e[0].List) == 3 {
					p.element(sort, e[0].List[1].Symbol())
				}
			}
		}
	}
}

// elementAtom matches the names that cvc4 and z3 give to elements.
var elementAtom = pattern.Lazy(`^(?:@uc_(.+)_\d+|(.+)!val!\d+)$`)

// abstractValues finds abstract values, (as @name Sort), @uc_Sort_n and Sort!val!n, that nothing announced.
func (p *replyParser) abstractValues(e *smtlib.SExpr) {
	todo := []*smtlib.SExpr{e}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if e.Head() == "as" && len(e.List) == 3 && strings.HasPrefix(e.List[1].Symbol(), "@") {
			if s, err := p.scope.Sort(e.List[2].String()); err == nil && p.a.SortKind(s) == smt.KindUser {
				p.element(s, e.List[1].Symbol())
			}
			continue
		}
		if m := elementAtom().FindStringSubmatch(e.Symbol()); m != nil {
			if s, err := p.scope.Sort(smt.QuoteSymbol(m[1] + m[2])); err == nil && p.a.SortKind(s) == smt.KindUser {
				p.element(s, e.Symbol())
			}
		}
		for i := len(e.List) - 1; i >= 0; i-- {
			todo = append(todo, &e.List[i])
		}
	}
}

// pair reads (term value) of a reply to get-value. If the reply is read as a model, constants and applications to
// values are added to it.
func (p *replyParser) pair(e *smtlib.SExpr) {
	t, err := p.scope.Term(e.List[0].String())
	if err != nil {
		return
	}
	v := p.valueOf(&e.List[1], p.a.Sort(t))
	p.pairs = append(p.pairs, value.TermValue{Term: t, Value: v})
	if p.valuesOnly || p.a.Op(t) != smt.OpApply {
		return
	}
	f := p.a.SymbolOf(t)
	info := p.a.SymbolInfo(f)
	if info.Kind != smt.SymDeclared {
		return
	}
	if len(info.Params) == 0 {
		p.m.Set(f, v)
		return
	}
	args := make([]value.Value, 0, len(info.Params))
	ev := eval.New(p.a, p.m)
	for _, x := range p.a.CopyArgs(t) {
		arg, err := ev.Eval(x)
		if err != nil {
			return
		}
		args = append(args, arg)
	}
	if value.AllComparable(args) && v.IsValue() {
		if p.m.Func(f) == nil {
			p.m.SetFunc(f, model.NewFunc(info.Params, value.Value{}))
		}
		p.m.Func(f).Set(args, v)
	}
}

// The bounds of the evaluation of a value inside of quantifiers and functions: solvers sometimes repeat a formula with
// quantifiers in place of its value, hundreds of times in a case.
const (
	maxValueSteps     = 1 << 14
	maxValueInstances = 1 << 10
)

func (p *replyParser) valueOf(e *smtlib.SExpr, sort smt.Sort) value.Value {
	t, err := p.scope.TermAt(e.String(), sort)
	if err != nil {
		return value.NoValue("", "the value cannot be read: "+firstLine(err))
	}
	if sort == smt.SortReal {
		t = p.a.ToReal(t)
	}
	ev := eval.New(p.a, p.m)
	ev.Limits.Steps, ev.Limits.Instances = maxValueSteps, maxValueInstances
	v, err := ev.Eval(t)
	if err != nil {
		return value.NoValue("", "the value "+display.Cut(e.String(), 60)+" is not known: "+err.Error())
	}
	if v.Sort() != sort && sort != smt.SortUnknown {
		return value.NoValue("", "the value "+display.Cut(e.String(), 60)+" has sort "+p.a.SortString(v.Sort())+", not "+p.a.SortString(sort))
	}
	return v
}

func firstLine(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	return s
}
