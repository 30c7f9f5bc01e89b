// Package acceptance predicts whether targets accept a script without asking them. It uses rules about features that
// targets lack, which are stated in their profiles or were learned by asking (solvers/learn). Where no rule applies,
// only the target can tell.
package acceptance

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Rules describe the features that a group of targets does not accept.
type Rules struct {
	terms     gen.Exclusions
	lacks     map[rule.Lack]bool
	operators [smt.NumOps]operatorRule
	conflicts []rule.Lack // of options and commands
	logics    []rule.Lack // in all logics but ALL
	places    bool        // one is about sorts inside of sorts, or in declarations
	linear    bool        // one is about products of terms that are no literals
	// someLogics is set if a rule is about a logic, so that a script may be given another logic.
	someLogics bool
}

// operatorRule has the rules about an operator wherever it stands.
type operatorRule struct {
	refused bool // one of the targets does not have it
	about   bool // one is about it, or about some of its applications
}

// New returns the rules of targets: terms has the rules about terms and sorts, aboutCommands the commands, options and
// names that the targets lack.
func New(terms gen.Exclusions, aboutCommands []rule.Lack) *Rules {
	r := &Rules{terms: terms, lacks: map[rule.Lack]bool{}}
	for _, l := range slices.Concat(terms.Exclude, aboutCommands) {
		r.lacks[l] = true
		switch l.Kind {
		case rule.Conflict:
			r.conflicts = append(r.conflicts, l)
		case rule.LogicAll:
			r.logics = append(r.logics, l)
		case rule.Sort, rule.FpFormat:
			r.places = true
		case rule.Feature:
			r.linear = r.linear || l.Of == rule.LinearArithmetic
			r.someLogics = r.someLogics || l.Of == rule.NoLogic
		case rule.Logic:
			r.someLogics = true
		default:
			if op, known := smt.LookupOp(l.Of); known {
				r.operators[op].about = true
			}
		}
	}
	for _, info := range smt.Ops() {
		r.operators[info.Op].refused = slices.ContainsFunc(terms.Kinds, func(kind string) bool { return !info.SupportedBy(kind) })
	}
	return r
}

// empty reports whether the rules say nothing, so that no script needs to be read.
func (r *Rules) empty() bool {
	return len(r.lacks) == 0 && len(r.terms.Kinds) == 0 && r.terms.Theories == nil && r.terms.Logics == nil &&
		len(r.terms.Conflicts) == 0
}

// Declines returns why the targets do not accept a script, in the words of the rule; "" if no rule rejects it.
func (r *Rules) Declines(s *smtlib.Script) string {
	if r.empty() {
		return ""
	}
	// If nothing in the arena of a script breaks a rule, the script needs no walk: its terms are a subset of the terms
	// of the arena, and rules forbid what is present, never what is absent. Most scripts are accepted in this way.
	if r.examine(s, everything) == "" {
		return ""
	}
	return r.examine(s, (*smt.Arena).PostOrder)
}

// Fit returns the script in a logic that the targets know if they refuse the logic that it names, or a script without a
// logic. It chooses the smallest logic with everything that the script needs. Otherwise it returns the script itself.
func (r *Rules) Fit(s *smtlib.Script) *smtlib.Script {
	if !r.refusesLogic(s) {
		return s
	}
	x := r.survey(s, (*smt.Arena).PostOrder)
	x.theories["UF"] = x.theories["UF"] || x.kinds[smt.KindUser]
	x.theories["Ints"] = x.kinds[smt.KindInt] // the operators that reals share stand under it
	if known := r.terms.KnownLogic(x.theories, !x.nonlinear); known != s.Logic() {
		return s.WithLogic(known)
	}
	return s
}

// refusesLogic reports whether the targets refuse the logic of a script, or refuse a script without a logic.
func (r *Rules) refusesLogic(s *smtlib.Script) bool {
	if name := s.Logic(); name != "" {
		return r.lacks[rule.Logic.Of(name)]
	}
	return r.lacks[rule.Feature.Of(rule.NoLogic)]
}

// everything visits all terms of an arena, those that nothing refers to among them.
func everything(a *smt.Arena, _ []smt.Term, visit func(smt.Term)) {
	for t := range a.Terms() {
		visit(t)
	}
}

// examine checks the script against the rules; walk visits the terms that the roots are made of.
func (r *Rules) examine(s *smtlib.Script, walk func(a *smt.Arena, roots []smt.Term, visit func(smt.Term))) string {
	x := r.survey(s, walk)
	x.logic(s.Logic())
	x.together()
	return x.why
}

// survey looks at the commands, the terms and the sorts of a script.
func (r *Rules) survey(s *smtlib.Script, walk func(a *smt.Arena, roots []smt.Term, visit func(smt.Term))) *examination {
	x := r.examination(s.Arena)
	x.look(s, walk)
	return x
}

// examination returns a new examination of a script whose terms are in an arena.
func (r *Rules) examination(a *smt.Arena) *examination {
	return &examination{
		r: r, a: a, theories: map[string]bool{"Core": true}, done: map[string]bool{}, sorts: make([]bool, 16),
	}
}

// look looks at the commands, the terms and the sorts of a script.
func (x *examination) look(s *smtlib.Script, walk func(a *smt.Arena, roots []smt.Term, visit func(smt.Term))) {
	walk(x.a, x.commands(s), x.term)
	for _, t := range x.functions {
		x.sort(x.a.Sort(t))
	}
}

// examination is the check of a script against rules.
type examination struct {
	r         *Rules
	a         *smt.Arena
	why       string           // the first rule that the script breaks
	theories  map[string]bool  // that the script has
	done      map[string]bool  // options that it sets, and commands that it has
	sorts     []bool           // by smt.Sort: it has been looked at
	applied   [smt.NumOps]bool // operators that have been looked at
	goesOn    bool             // it has more than a single check-sat
	functions []smt.Term       // lambdas that are functions
	kinds     [smt.KindParam + 1]bool
	shapes    map[rule.Lack]bool // what it has that targets may lack; nil: only what they do lack counts
	// nonlinear is set if the script has products or quotients of terms that are not literals, otherArrays if it has
	// arrays that are not over bit vectors.
	nonlinear, otherArrays bool
}

// forbid notes that the script needs something, which the targets may lack.
func (x *examination) forbid(l rule.Lack) {
	if x.shapes != nil {
		x.shapes[l] = true
		return
	}
	if x.why == "" && x.r.lacks[l] {
		x.why = l.String()
	}
}

// has notes that the script has something of a theory.
func (x *examination) has(theory string) {
	if x.theories[theory] {
		return
	}
	x.theories[theory] = true
	x.forbid(rule.Theory.Of(theory))
	if x.why == "" && x.r.terms.Theories != nil && !slices.Contains(x.r.terms.Theories, theory) {
		x.why = rule.Theory.Of(theory).String()
	}
}

// actions maps commands to the names of their actions in walks, where these differ.
var actions = map[smtlib.Kind]string{
	smtlib.CmdDefineFun: "mk-fun", smtlib.CmdDefineConst: "mk-fun", smtlib.CmdDefineFunRec: "mk-fun-rec", smtlib.CmdDefineFunsRec: "mk-fun-rec",
}

// commands looks at the commands of the script and returns the terms that they have.
func (x *examination) commands(s *smtlib.Script) (roots []smt.Term) {
	checks := 0
	for i := range s.Commands {
		c := &s.Commands[i]
		name := c.Kind.String()
		if action, ok := actions[c.Kind]; ok {
			name = action
		}
		if c.Kind == smtlib.CmdOther {
			name = c.Name
		}
		if !x.done[name] {
			x.done[name] = true
			x.forbid(rule.Action.Of(name))
		}
		roots = append(roots, c.Terms...)
		switch c.Kind {
		case smtlib.CmdSetOption:
			if c.Text == "true" {
				option := strings.TrimPrefix(c.Name, ":")
				x.done[option] = true
				x.forbid(rule.Option.Of(option))
			}
		case smtlib.CmdCheckSat:
			checks++
		case smtlib.CmdGetValue:
			x.a.PostOrder(c.Terms, func(t smt.Term) { x.at("get-value", x.a.Sort(t)) }) // which have values, too
		case smtlib.CmdGetModel:
			for _, kind := range scope.KindsOfSymbols(x.a, s.Commands[:i]) {
				x.forbid(rule.Sort.With(kind.String(), "get-model"))
			}
		case smtlib.CmdCheckSatAssuming, smtlib.CmdPush, smtlib.CmdGetUnsatCore:
			x.goesOn = true
		case smtlib.CmdEcho:
			// When Yices reads a text from a file, it takes a quote in the text for its end.
			if strings.Contains(strings.Trim(c.Text, `"`), `"`) {
				x.forbid(rule.Feature.Of(rule.EchoQuotes))
			}
		}
		if c.Kind == smtlib.CmdCheckSatAssuming && slices.ContainsFunc(c.Terms, func(t smt.Term) bool { return !x.assumable(t) }) {
			x.forbid(rule.Feature.Of(rule.AssumptionTerm))
		}
		if len(c.Named) > 0 {
			x.forbid(rule.Feature.Of(rule.NamedTerm))
		}
		roots = append(roots, x.declares(c)...)
	}
	x.goesOn = x.goesOn || checks > 1
	return roots
}

// assumable reports whether a term is a Boolean constant or the negation of one.
func (x *examination) assumable(t smt.Term) bool {
	if x.a.Op(t) == smt.OpNot {
		t = x.a.Arg(t, 0)
	}
	return x.a.IsLiteral(t) || x.a.Op(t) == smt.OpApply && x.a.NumArgs(t) == 0
}

// declares examines the declarations of a command and returns the bodies of its definitions.
func (x *examination) declares(c *smtlib.Command) (bodies []smt.Term) {
	for _, f := range c.Symbols {
		info := x.a.SymbolInfo(f)
		if info.Body != 0 {
			bodies = append(bodies, info.Body)
		}
		x.sort(info.Result)
		for _, p := range info.Params {
			x.sort(p)
		}
		switch {
		case info.Body != 0:
			for _, p := range info.Params {
				x.at("var", p)
			}
		case len(info.Params) == 0:
			x.at("const", info.Result)
		default:
			x.at("fun-codomain", info.Result)
			for _, p := range info.Params {
				x.at("fun-domain", p)
			}
		}
	}
	for _, sym := range c.Sorts {
		dt := x.a.Datatype(sym)
		if dt == nil {
			continue
		}
		x.has("Datatypes")
		for _, k := range dt.Constructors {
			for _, sel := range k.Selectors {
				x.at("datatype-field", x.a.SymbolInfo(sel).Result)
			}
		}
	}
	return bodies
}

// at notes that a sort is in one of rule.PlacesOfSorts.
func (x *examination) at(place string, s smt.Sort) {
	if x.r.places {
		x.forbid(rule.Sort.With(x.a.SortKind(s).String(), place))
	}
}

// sort notes that the script has a sort, and those that it is made of.
func (x *examination) sort(s smt.Sort) {
	if int(s) < len(x.sorts) && x.sorts[s] {
		return
	}
	if int(s) >= len(x.sorts) {
		x.sorts = append(x.sorts, make([]bool, int(s)+1-len(x.sorts))...)
	}
	x.sorts[s] = true
	kind := x.a.SortKind(s)
	x.kinds[kind] = true
	if theory := logic.TheoryOf[kind]; theory != "" && kind != smt.KindUser { // every solver reads sorts of the user's own, or a line says that it does not
		x.has(theory)
	}
	x.forbid(rule.Sort.Of(kind.String()))
	args := x.a.SortArgs(s)
	for _, p := range args {
		x.sort(p)
	}
	switch kind {
	case smt.KindArray:
		x.at("array-index", args[0])
		x.at("array-element", args[1])
		x.otherArrays = x.otherArrays || gen.IsOtherArray(x.a, s)
	case smt.KindSeq:
		x.at("seq-element", args[0])
	case smt.KindSet:
		x.at("set-element", args[0])
	case smt.KindBag:
		x.at("bag-element", args[0])
	case smt.KindFloat:
		exponent, bits := x.a.FloatFormat(s)
		for i := range gen.FormatLacks {
			if l := &gen.FormatLacks[i]; l.Covers(exponent, bits) {
				x.forbid(l.Lack)
			}
		}
	}
}

func (x *examination) term(t smt.Term) {
	op := x.a.Op(t)
	if op == smt.OpRealLit { // operators of other theories have literals of numbers as arguments
		return
	}
	if op == smt.OpLambda && x.a.SortKind(x.a.Sort(t)) == smt.KindFunc {
		x.functions = append(x.functions, t) // solvers do not see the function of a choice
	} else {
		x.sort(x.a.Sort(t))
	}
	if lambda, ok := x.a.OwnBinder(t); ok {
		x.functions = slices.DeleteFunc(x.functions, func(f smt.Term) bool { return f == lambda })
	}
	switch op {
	case smt.OpForall, smt.OpExists, smt.OpLambda:
		if op != smt.OpLambda {
			x.has("Quantifiers")
		}
		for _, v := range x.a.BoundVars(t) {
			x.sort(x.a.Sort(v))
			x.at("var", x.a.Sort(v))
		}
	case smt.OpAnnot:
		if x.a.IsExchange(t) {
			x.forbid(rule.Feature.Of(rule.ExchangedNames))
		}
	case smt.OpMatch:
		x.forbid(rule.Operator.Of("match"))
		cases := x.a.Args(t)[1:]
		if last := cases[len(cases)-1]; x.a.SymbolOf(last) == 0 {
			x.forbid(rule.Feature.Of(rule.MatchRest))
		}
	case smt.OpApply:
		if x.a.NumArgs(t) > 0 && x.a.SymbolInfo(x.a.SymbolOf(t)).Kind == smt.SymDeclared {
			x.has("UF")
		}
	}
	if op.Structural() || x.a.IsLiteral(t) {
		return
	}
	// Most terms have an operator that was seen before, and most operators have no rule. So a case costs one table
	// look-up for each of its terms, and no text is made.
	about := x.r.operators[op]
	if x.r.linear || x.r.someLogics {
		x.nonlinear = x.nonlinear || logic.OfOperator(x.a, t)&logic.Nonlinear != 0
	}
	info := op.Info()
	if !x.applied[op] {
		x.applied[op] = true
		x.has(info.Theory)
		if op == smt.OpConstArray {
			x.theories[gen.ConstantArrays] = true
		}
		if about.about {
			x.forbid(rule.Operator.Of(info.Name))
		}
		if about.refused && x.why == "" {
			x.why = rule.Operator.Of(info.Name).String()
		}
	}
	if !about.about {
		return
	}
	if x.a.NumArgs(t) > 2 && (x.shapes == nil || info.Assoc != smt.AssocNone) {
		x.forbid(rule.ManyArguments.Of(info.Name))
	}
	for _, arg := range x.a.Args(t) {
		x.forbid(rule.Argument.With(info.Name, x.a.SortKind(x.a.Sort(arg)).String()))
	}
	x.forbid(gen.LackOfIndex(x.a, t))
	if len(info.Signatures) > 1 {
		x.signature(t, info)
	}
}

// signature checks which signature of its operator a term has.
func (x *examination) signature(t smt.Term, info *smt.OpInfo) {
	args := x.a.Args(t)
next:
	for i := range info.Signatures {
		s := info.Signature(i)
		if len(s.Args) > len(args) || len(s.Args) < len(args) && s.Repeat < 0 && info.Assoc == smt.AssocNone || len(s.Indices) != len(x.a.Indices(t)) {
			continue
		}
		var b smt.Bindings
		for k := range s.Args {
			if !s.Args[k].Match(x.a, x.a.Sort(args[k]), &b) {
				continue next
			}
		}
		x.forbid(gen.LackOfSignature(info.Op, s.Text))
		return
	}
}

// logic checks the name of the logic, once the theories are known.
func (x *examination) logic(name string) {
	if name == "" {
		x.forbid(rule.Feature.Of(rule.NoLogic))
	} else {
		x.forbid(rule.Logic.Of(name))
	}
	if x.why == "" && x.r.terms.Logics != nil && !slices.Contains(x.r.terms.Logics, name) {
		x.why = rule.Logic.Of(name).String()
	}
	features, known := logic.Parse(name)
	if x.nonlinear && features&logic.Nonlinear == 0 { // what solvers have of it, they have in logics that name it
		x.forbid(rule.Feature.Of(rule.LinearArithmetic))
	}
	for _, l := range x.r.logics {
		if known && gen.AllOn(x.theories, l.Of) && !(l.Of == "Strings" && logic.PlainStrings(name)) {
			x.forbid(l)
		}
	}
	if x.otherArrays {
		x.forbid(rule.BitVectorArrays.Of(name))
	}
}

// together checks for features that conflict with each other.
func (x *examination) together() {
	for _, c := range x.r.conflicts {
		if x.done[c.Of] && x.done[c.With] {
			x.forbid(c)
		}
	}
	for _, conflict := range x.r.terms.Conflicts {
		if x.why == "" && !slices.ContainsFunc(conflict, func(theory string) bool { return !x.theories[theory] }) {
			x.why = conflict.String()
		}
	}
	if x.goesOn && x.r.terms.Once(x.theories) && x.why == "" {
		x.why = rule.Once.Of("Quantifiers").String()
	}
}
