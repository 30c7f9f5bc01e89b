package fusion

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
)

// Part is a script to be joined with others: its assertions at one check-sat, and the known facts about them.
type Part struct {
	Script  *smtlib.Script
	Asserts []smt.Term // without names of terms
	Answer  smtlib.Answer
	// Model satisfies the assertions, where the answer is sat and a model is at hand; nil otherwise.
	Model *model.Model
	// Checks may be set in the first part only: the fused script then checks as often as this part, with these answers.
	// Asserts are then the result of Steps, without names of terms; Answer and Model are ignored.
	Checks []smtlib.Answer
	// Known is the result of Analyze; nil lets Join find it.
	Known *Analysis
}

// Analysis has the facts about a script and its assertions that joining needs. It depends on them alone.
type Analysis struct {
	need   logic.Features
	order  []smt.Term // the different terms, arguments first
	consts []smt.Term // declared constants that occur, of sorts that operators take, each once
	slots  []int      // how often each occurs: as an argument of one of the different terms, or as an assertion
	open   map[smt.Op]bool

	head     []smtlib.Command // options
	decls    []smtlib.Command // declarations, each once, with their texts
	asserts  []smtlib.Command // the assertions, with their texts
	names    map[string]bool  // that are declared; sorts count as "sort NAME" too
	twice    bool             // a name is declared twice in different ways
	declared logic.Features   // features that the declarations need
}

// Analyze examines a script and its assertions at one check-sat.
func Analyze(script *smtlib.Script, asserts []smt.Term) *Analysis {
	a := script.Arena
	k := &Analysis{names: map[string]bool{}}
	at := map[smt.Term]int{}
	slot := func(t smt.Term) {
		if a.Op(t) != smt.OpApply || a.NumArgs(t) > 0 || !isFusable(a, t) {
			return
		}
		i, ok := at[t]
		if !ok {
			i = len(k.consts)
			at[t] = i
			k.consts, k.slots = append(k.consts, t), append(k.slots, 0)
		}
		k.slots[i]++
	}
	a.PostOrder(asserts, func(t smt.Term) {
		k.order = append(k.order, t)
		k.need |= logic.OfNode(a, t)
		from, to := replaceableArgs(a, t)
		for i := from; i < to; i++ {
			slot(a.Arg(t, i))
		}
		if op := a.Op(t); leavesOpen(a, op, t) {
			if k.open == nil {
				k.open = map[smt.Op]bool{}
			}
			k.open[op] = true
		}
	})
	// A constant that is an assertion is the argument of nothing.
	for _, t := range asserts {
		slot(t)
	}
	k.collectDeclarations(script)
	k.asserts = make([]smtlib.Command, len(asserts))
	for i := range asserts {
		k.asserts[i] = smtlib.Command{Kind: smtlib.CmdAssert, Terms: asserts[i : i+1 : i+1]}
	}
	// A seed is fused many times: unchanged commands are printed only once.
	smtlib.Remember(a, k.decls)
	smtlib.Remember(a, k.asserts)
	return k
}

// collectDeclarations collects options and declarations.
func (k *Analysis) collectDeclarations(script *smtlib.Script) {
	a := script.Arena
	syms, sorts := map[smt.Symbol]bool{}, map[smt.SortSymbol]bool{}
	take := func(name string) {
		k.twice = k.twice || k.names[name]
		k.names[name] = true
	}
	for i := range script.Commands {
		x := &script.Commands[i]
		if x.Kind == smtlib.CmdSetOption {
			k.head = append(k.head, *x)
		}
		if !x.Kind.IsDeclaration() || x.Kind == smtlib.CmdDefineSort {
			continue
		}
		again := len(x.Symbols)+len(x.Sorts) > 0
		for _, f := range x.Symbols {
			if !syms[f] {
				again, syms[f] = false, true
				take(a.SymbolName(f))
			}
		}
		for _, s := range x.Sorts {
			if !sorts[s] {
				again, sorts[s] = false, true
				k.takeSort(a, s, take)
			}
		}
		if !again {
			k.decls = append(k.decls, *x)
			k.declared |= logic.OfDeclared(a, x.Symbols, x.Sorts)
		}
	}
}

// takeSort notes the names of a declared sort or datatype.
func (k *Analysis) takeSort(a *smt.Arena, s smt.SortSymbol, take func(string)) {
	name, _ := a.SortSymbolName(s)
	take("sort " + name) // sorts have names of their own
	if dt := a.Datatype(s); dt != nil {
		for _, c := range dt.Constructors {
			take(c.Name)
			for _, sel := range c.Selectors {
				if n := a.SymbolName(sel); !k.names[n] || !sharesSelector(a, dt, n) {
					take(n)
				}
			}
		}
	}
	k.names[name] = true
}

// Joint is several scripts in the arena of the first, with their names apart, that are being fused.
type Joint struct {
	arena   *smt.Arena
	parts   []*joined
	head    []smtlib.Command // options of the first script
	cmds    []smtlib.Command // of the case: the options, the logic, which is set at the end, and declarations; nil behind the case
	logics  []string
	need    logic.Features  // of the assertions
	decl    logic.Features  // of the declarations
	base    map[string]bool // names of the first script; not to be modified
	names   map[string]bool // of all that came later
	namer   func(string) string
	model   *model.Model     // of all parts that have one; nil if none has
	modeled bool             // every part that is satisfiable has a model
	checks  []smtlib.Answer  // of the first part, where its checks are kept; else nil
	steps   []smtlib.Command // its commands
	fused   []*Function
	picked  map[smt.Term]bool
}

// joined is one part in the joint arena.
type joined struct {
	asserts []smt.Term
	order   []smt.Term // their different terms, arguments first; nil for those of the analysis
	consts  []smt.Term // declared constants that occur, of sorts that operators take, each once
	slots   []int      // how often each occurs
	answer  smtlib.Answer
	model   bool
	open    map[smt.Op]bool  // operators that the standard leaves open for some arguments, where these may occur
	said    []smtlib.Command // the assertions as they were, with their texts; nil where they have none
	inverse []replacement
}

// replacement is a constant of a part that a function replaces.
type replacement struct {
	x, inverse   smt.Term
	left, forced int // occurrences not seen yet; the one, counted like that, that is replaced in any case
}

// errNames says that a script declares a name twice in different ways, in scopes that a joint script does not have.
var errNames = errors.New("a name is declared twice in different ways")

// Join combines scripts. The terms of the first stay unchanged; symbols of the others are renamed where a name is
// taken. The options are those of the first script.
func Join(parts []Part) (*Joint, error) {
	a := parts[0].Script.Arena
	j := &Joint{arena: a, names: map[string]bool{}, picked: map[smt.Term]bool{}, modeled: true}
	j.namer = Namer(j.isTaken)
	size := fusedCommands
	for i := range parts {
		size += len(parts[i].analysis().decls) + len(parts[i].Asserts)
	}
	for i := range parts {
		p := &parts[i]
		if l := p.Script.Logic(); i == 0 || l != j.logics[len(j.logics)-1] {
			j.logics = append(j.logics, l)
		}
		var err error
		if i == 0 {
			err = j.takeFirst(p, size)
		} else {
			err = j.copyPart(p, i)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Script.Name, err)
		}
	}
	for _, p := range j.parts {
		if p.answer == smtlib.Sat && !p.model {
			j.modeled = false
		}
	}
	return j, nil
}

// isTaken reports whether something has the name.
func (j *Joint) isTaken(n string) bool { return j.base[n] || j.names[n] }

// freeName returns a free name: the given one, or one made of it. It is taken from then on.
func (j *Joint) freeName(n string) string {
	if j.isTaken(n) {
		n = j.namer(n)
	}
	j.names[n] = true
	return n
}

// freshName returns a name that nothing has, which is taken from then on.
func (j *Joint) freshName(base string) string {
	n := j.namer(base)
	j.names[n] = true
	return n
}

// fusedCommands is for how many commands there is room beside the declarations and assertions of the parts.
const fusedCommands = 12

// takeFirst takes the first script as it is. The case will have about so many commands.
func (j *Joint) takeFirst(p *Part, size int) error {
	k := p.analysis()
	if k.twice {
		return errNames
	}
	j.base, j.head = k.names, k.head
	cmds := append(make([]smtlib.Command, 0, size+len(k.head)), k.head...)
	j.cmds = append(append(cmds, smtlib.Command{Kind: smtlib.CmdSetLogic}), k.decls...)
	if j.checks = p.Checks; p.Checks != nil {
		j.steps = p.Script.Commands
	}
	j.parts = append(j.parts, &joined{asserts: p.Asserts, order: k.order, consts: k.consts, slots: k.slots, open: k.open, said: k.asserts,
		answer: p.Answer, model: p.Model != nil})
	j.need |= k.need
	j.decl |= k.declared
	if p.Model != nil {
		j.model = p.Model.Clone()
	}
	return nil
}

// analysis returns the known facts about a part.
func (p *Part) analysis() *Analysis {
	if p.Known == nil {
		p.Known = Analyze(p.Script, p.Asserts)
	}
	return p.Known
}

// sharesSelector reports whether constructors of a datatype share a selector of that name, as z3 and cvc5 let them not;
// such scripts are taken as they are.
func sharesSelector(a *smt.Arena, dt *smt.Datatype, name string) bool {
	n := 0
	for _, k := range dt.Constructors {
		for _, sel := range k.Selectors {
			if a.SymbolName(sel) == name {
				n++
			}
		}
	}
	return n > 1
}

// copyPart copies another script.
func (j *Joint) copyPart(p *Part, number int) error {
	c := newCopier(p.Script.Arena, j.arena, j.freeName, "part "+strconv.Itoa(number)+" ")
	defer c.free()
	k := p.analysis()
	out := &joined{slots: k.slots, open: k.open, answer: p.Answer, model: p.Model != nil}
	var err error
	if j.cmds, err = c.copyCommands(j.cmds, k.decls); err != nil {
		return err
	}
	all := make([]smt.Term, 0, len(p.Asserts)+len(k.order)+len(k.consts))
	for _, t := range p.Asserts {
		x, err := c.Term(t)
		if err != nil {
			return err
		}
		all = append(all, x)
	}
	for _, t := range k.order {
		all = append(all, c.TermNow(t))
	}
	for _, t := range k.consts {
		all = append(all, c.TermNow(t))
	}
	n, m := len(p.Asserts), len(p.Asserts)+len(k.order)
	out.asserts, out.order, out.consts = all[:n:n], all[n:m:m], all[m:]
	j.need |= k.need
	j.decl |= k.declared
	j.parts = append(j.parts, out)
	if p.Model != nil {
		if j.model == nil {
			j.model = model.New(j.arena)
		}
		if err := c.copyModel(p.Model, j.model, p.Script.Commands); err != nil {
			out.model = false // a value that cannot be brought over: there is no witness
		}
	}
	return nil
}

// isFusable reports whether a constant may be replaced: it is a declared one, and operators take its sort.
func isFusable(a *smt.Arena, t smt.Term) bool {
	if a.SymbolInfo(a.SymbolOf(t)).Kind != smt.SymDeclared {
		return false
	}
	switch a.SortKind(a.Sort(t)) {
	case smt.KindUnknown, smt.KindRegLan, smt.KindFunc, smt.KindParam, smt.KindTuple, smt.KindNullable, smt.KindBag, smt.KindSet, smt.KindFiniteField:
		return false
	}
	return true
}

// replaceableArgs returns the range of the arguments of t where a constant may be replaced by a term: not among the
// variables of a binder, in attributes, or where solvers want a value.
func replaceableArgs(a *smt.Arena, t smt.Term) (from, to int) {
	n := a.NumArgs(t)
	switch op := a.Op(t); op {
	case smt.OpForall, smt.OpExists, smt.OpLambda, smt.OpCase:
		return n - 1, n
	case smt.OpAnnot:
		return 0, 1
	case smt.OpConstArray, smt.OpOpaque, smt.OpReLoopArgs, smt.OpReRange:
		return 0, 0
	}
	return 0, n
}

// leavesOpen reports whether the standard leaves the operator open for some arguments, and the arguments of t may be
// such.
func leavesOpen(a *smt.Arena, op smt.Op, t smt.Term) bool {
	switch op {
	case smt.OpDiv, smt.OpIntDiv, smt.OpMod, smt.OpRem:
		for _, x := range a.Args(t)[1:] {
			if !isNonzeroLiteral(a, x) {
				return true
			}
		}
		return false
	}
	return op == smt.OpOpaque || model.IsPartial(op)
}

// isNonzeroLiteral reports whether a term is a literal other than zero.
func isNonzeroLiteral(a *smt.Arena, t smt.Term) bool {
	switch a.Op(t) {
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return n.Sign() != 0
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		return r.Sign() != 0
	case smt.OpSub, smt.OpToReal:
		return a.NumArgs(t) == 1 && isNonzeroLiteral(a, a.Arg(t, 0))
	case smt.OpDiv:
		return isNonzeroLiteral(a, a.Arg(t, 0)) && isNonzeroLiteral(a, a.Arg(t, 1))
	}
	return false
}

// Arena returns the arena of the joint script.
func (j *Joint) Arena() *smt.Arena { return j.arena }

// Parts returns the number of scripts.
func (j *Joint) Parts() int { return len(j.parts) }

// Fused returns the functions that were applied, not to be modified.
func (j *Joint) Fused() []*Function { return j.fused }

// Variables returns the constants of a part that can be replaced.
func (j *Joint) Variables(part int) []smt.Term { return j.parts[part].consts }

// Inputs draws n variables that were not drawn before: of different parts as far as there are any, of the parts in turn
// otherwise. It prefers variables of the sort of the first one with probability same. There may be fewer.
func (j *Joint) Inputs(r *rng.Source, n int, same float64) []smt.Term {
	var out []smt.Term
	order := make([]int, len(j.parts))
	for i := range order {
		order[i] = i
	}
	r.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	for misses := 0; len(out) < n && misses < len(order); {
		p := j.parts[order[(len(out)+misses)%len(order)]]
		want := smt.Sort(0)
		if len(out) > 0 && r.Chance(same) {
			want = j.arena.Sort(out[0])
		}
		t := j.drawVariable(r, p.consts, want)
		if t == 0 {
			t = j.drawVariable(r, p.consts, 0)
		}
		if t == 0 {
			misses++
			continue
		}
		j.picked[t] = true
		out, misses = append(out, t), 0
	}
	return out
}

// drawVariable picks a variable that was not picked before, of a sort unless that is 0; 0 if there is none.
func (j *Joint) drawVariable(r *rng.Source, vars []smt.Term, want smt.Sort) smt.Term {
	count, pick := 0, smt.Term(0)
	for try := 0; try < 4 && len(vars) > 0; try++ { // most often this is enough
		if t := vars[r.Intn(len(vars))]; !j.picked[t] && (want == 0 || j.arena.Sort(t) == want) {
			return t
		}
	}
	for _, t := range vars {
		if !j.picked[t] && (want == 0 || j.arena.Sort(t) == want) {
			if count++; r.Intn(count) == 0 {
				pick = t
			}
		}
	}
	return pick
}

// Allowed returns the features that the logics of all parts allow; 0 if they allow all.
func (j *Joint) Allowed() logic.Features {
	f := logic.Everything
	for _, l := range j.logics {
		x, ok := logic.Parse(l)
		if !ok {
			return 0
		}
		f &= x
	}
	return f | j.need
}

// Env returns the environment in which functions over the joint script's variables are generated. If keepLogic is set,
// functions use only features that the logics allow.
func (j *Joint) Env(r *rng.Source, make any, keepLogic bool, literal float64) *Env {
	e := &Env{Arena: j.arena, Rng: r, Make: make, Name: j.freshName, Literal: literal}
	if keepLogic {
		e.Allowed = j.Allowed()
	}
	return e
}

// fuseTries is the number of times that Fuse draws other variables and other trees.
const fuseTries = 4

// Fuse draws n variables, has the generator make a function of them, and applies it. It returns nil if no variable is
// left, or if the generator has no function, not even a larger one, for the drawn variables. same is the probability
// that the variables have one sort.
func (j *Joint) Fuse(g Generator, e *Env, n int, same float64, size Size) (*Function, error) {
	for try := range fuseTries {
		inputs := j.Inputs(e.Rng, n, same)
		if len(inputs) == 0 {
			return nil, nil
		}
		f, err := g.Generate(e, inputs, size)
		if err == nil {
			return f, j.Apply(f)
		}
		if !errors.Is(err, ErrNoFunction) {
			return nil, err
		}
		for _, x := range inputs {
			delete(j.picked, x)
		}
		size.Nodes += 4
		if try > 0 {
			same = 1
		}
	}
	return nil, nil
}

// Apply makes a function whose inputs are variables of the joint script part of it: at the end, some of their
// occurrences are replaced.
func (j *Joint) Apply(f *Function) error {
	for i, x := range f.Inputs {
		found := false
		for _, p := range j.parts {
			if k := slices.Index(p.consts, x); k >= 0 {
				p.inverse = append(p.inverse, replacement{x: x, inverse: f.Inverse[i], left: p.slots[k]})
				found = true
			}
		}
		if !found {
			return fmt.Errorf("%s occurs in no part", j.arena.Brief(x))
		}
	}
	j.fused = append(j.fused, f)
	return nil
}
