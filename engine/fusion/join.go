package fusion

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// Part is a script to be joined with others: what it asserts at one check-sat, and what is known of that.
type Part struct {
	Script  *smtlib.Script
	Asserts []smt.Term // without names of terms
	Answer  smtlib.Answer
	// Model satisfies the assertions, where the answer is sat and a model is at hand; nil otherwise.
	Model *eval.Model
	// Known is what Analyze found; nil lets Join find it.
	Known *Analysis
}

// Analysis is what joining must know of the assertions of a script. It depends on them alone.
type Analysis struct {
	need   Features
	consts []smt.Term // declared constants that occur, of sorts that operators take, each once
	slots  []int      // how often each occurs: as an argument of one of the different terms, or as an assertion
	open   map[smt.Op]bool
}

// Analyze looks through assertions.
func Analyze(a *smt.Arena, asserts []smt.Term) *Analysis {
	k := &Analysis{}
	at := map[smt.Term]int{}
	slot := func(t smt.Term) {
		if a.Op(t) != smt.OpApply || a.NumArgs(t) > 0 || !usable(a, t) {
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
		k.need |= termFeatures(a, t)
		from, to := replaceable(a, t)
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
	for _, t := range asserts {
		slot(t)
	}
	return k
}

// Joint is several scripts in the arena of the first, with their names apart, that are being fused.
type Joint struct {
	arena   *smt.Arena
	parts   []*joined
	head    []smtlib.Command // options of the first script
	decls   []smtlib.Command
	logics  []string
	need    Features
	names   map[string]bool
	namer   func(string) string
	model   *eval.Model // of all parts that have one; nil if none has
	modeled bool        // every part that is satisfiable has a model
	fused   []*Function
	picked  map[smt.Term]bool
}

// joined is one part in the joint arena.
type joined struct {
	asserts []smt.Term
	consts  []smt.Term // declared constants that occur, of sorts that operators take, each once
	slots   map[smt.Term]int
	answer  smtlib.Answer
	model   bool
	open    map[smt.Op]bool // operators that the standard leaves open for some arguments, where these may occur
	inverse map[smt.Term]smt.Term
}

// ErrNames says that a script declares a name twice in different ways, in scopes that a joint script does not have.
var ErrNames = errors.New("a name is declared twice in different ways")

// Join brings scripts together. The terms of the first stay what they are; what the others declare is renamed where a
// name is there already. Of options, those of the first are kept.
func Join(parts []Part) (*Joint, error) {
	a := parts[0].Script.Arena
	j := &Joint{arena: a, names: map[string]bool{}, picked: map[smt.Term]bool{}, modeled: true}
	j.namer = Namer(func(n string) bool { return j.names[n] })
	for i := range parts {
		p := &parts[i]
		if l := p.Script.Logic(); i == 0 || l != j.logics[len(j.logics)-1] {
			j.logics = append(j.logics, l)
		}
		var err error
		if i == 0 {
			err = j.first(p)
		} else {
			err = j.more(p, i)
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

// name returns a free name: the given one, or one made of it. It is taken from then on.
func (j *Joint) name(n string) string {
	if j.names[n] {
		n = j.namer(n)
	}
	j.names[n] = true
	return n
}

// fresh returns a name that nothing has, which is taken from then on.
func (j *Joint) fresh(base string) string {
	n := j.namer(base)
	j.names[n] = true
	return n
}

// first takes the first script as it is.
func (j *Joint) first(p *Part) error {
	a := j.arena
	syms, sorts := map[smt.Symbol]bool{}, map[smt.SortSymbol]bool{}
	take := func(name string) error {
		if j.names[name] {
			return ErrNames
		}
		j.names[name] = true
		return nil
	}
	for i := range p.Script.Commands {
		x := &p.Script.Commands[i]
		if x.Kind == smtlib.CmdSetOption {
			j.head = append(j.head, *x)
		}
		if !x.Kind.IsDeclaration() || x.Kind == smtlib.CmdDefineSort {
			continue
		}
		again := len(x.Symbols)+len(x.Sorts) > 0
		var err error
		for _, f := range x.Symbols {
			if !syms[f] {
				again, syms[f] = false, true
				err = errors.Join(err, take(a.SymbolName(f)))
			}
		}
		for _, s := range x.Sorts {
			if !sorts[s] {
				again, sorts[s] = false, true
				err = errors.Join(err, j.takeSort(s, take))
			}
		}
		if err != nil {
			return ErrNames
		}
		if !again {
			j.decls = append(j.decls, *x)
		}
	}
	j.add(p.Asserts, p, nil)
	if p.Model != nil {
		j.model = p.Model.Clone()
	}
	return nil
}

// takeSort notes the names of a declared sort or datatype.
func (j *Joint) takeSort(s smt.SortSymbol, take func(string) error) error {
	name, _ := j.arena.SortSymbolName(s)
	err := take("sort " + name) // sorts have names of their own
	if dt := j.arena.Datatype(s); dt != nil {
		for _, k := range dt.Constructors {
			err = errors.Join(err, take(k.Name))
			for _, sel := range k.Selectors {
				if e := take(j.arena.SymbolName(sel)); e != nil && !shared(j.arena, dt, j.arena.SymbolName(sel)) {
					err = errors.Join(err, e)
				}
			}
		}
	}
	j.names[name] = true
	return err
}

// shared reports whether constructors of a datatype share a selector of that name, as z3 and cvc5 let them not; such
// scripts are taken as they are.
func shared(a *smt.Arena, dt *smt.Datatype, name string) bool {
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

// more copies another script.
func (j *Joint) more(p *Part, number int) error {
	c := newCopier(p.Script.Arena, j.arena, j.name, "part "+strconv.Itoa(number)+" ")
	defer c.free()
	cmds, err := c.commands(p.Script.Commands)
	if err != nil {
		return err
	}
	asserts := make([]smt.Term, len(p.Asserts))
	for i, t := range p.Asserts {
		if asserts[i], err = c.Term(t); err != nil {
			return err
		}
	}
	j.decls = append(j.decls, cmds...)
	j.add(asserts, p, func(t smt.Term) smt.Term { return c.TermNow(t) })
	if p.Model != nil {
		if j.model == nil {
			j.model = eval.NewModel(j.arena)
		}
		if err := c.model(p.Model, j.model, p.Script.Commands); err != nil {
			j.parts[len(j.parts)-1].model = false // a value that cannot be brought over: there is no witness
		}
	}
	return nil
}

// add notes a part whose assertions are in the joint arena; moved gives what its constants became there.
func (j *Joint) add(asserts []smt.Term, p *Part, moved func(smt.Term) smt.Term) {
	known := p.Known
	if known == nil {
		known = Analyze(p.Script.Arena, p.Asserts)
	}
	k := &joined{asserts: asserts, slots: make(map[smt.Term]int, len(known.consts)), answer: p.Answer, model: p.Model != nil,
		inverse: map[smt.Term]smt.Term{}, open: known.open, consts: known.consts}
	if moved != nil {
		k.consts = make([]smt.Term, len(known.consts))
	}
	for i, t := range known.consts {
		if moved != nil {
			t = moved(t)
			k.consts[i] = t
		}
		k.slots[t] = known.slots[i]
	}
	j.need |= known.need
	j.parts = append(j.parts, k)
}

// usable reports whether a constant may be replaced: it is a declared one, and operators take its sort.
func usable(a *smt.Arena, t smt.Term) bool {
	if a.SymbolInfo(a.SymbolOf(t)).Kind != smt.SymDeclared {
		return false
	}
	switch a.SortKind(a.Sort(t)) {
	case smt.KindUnknown, smt.KindRegLan, smt.KindFunc, smt.KindParam, smt.KindTuple, smt.KindBag, smt.KindSet, smt.KindFiniteField:
		return false
	}
	return true
}

// replaceable returns the range of the arguments of t where a constant may be replaced by a term: not among the
// variables of a binder, in attributes, or where solvers want a value.
func replaceable(a *smt.Arena, t smt.Term) (from, to int) {
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

// leavesOpen reports whether the standard leaves the operator open for some arguments, and these may be such.
func leavesOpen(a *smt.Arena, op smt.Op, t smt.Term) bool {
	switch op {
	case smt.OpDiv, smt.OpIntDiv, smt.OpMod, smt.OpRem:
		for _, x := range a.Args(t)[1:] {
			if !nonzero(a, x) {
				return true
			}
		}
		return false
	case smt.OpSeqNth, smt.OpFPToUbv, smt.OpFPToSbv, smt.OpFPToReal, smt.OpFPMin, smt.OpFPMax, smt.OpFPToIeeeBV, smt.OpPow,
		smt.OpSetChoose, smt.OpBagChoose, smt.OpArrayDefault, smt.OpSqrt, smt.OpOpaque:
		return true
	}
	return false
}

// nonzero reports whether a term is a literal other than zero.
func nonzero(a *smt.Arena, t smt.Term) bool {
	switch a.Op(t) {
	case smt.OpIntLit:
		n, _ := a.IntOf(t)
		return n.Sign() != 0
	case smt.OpRealLit:
		r, _ := a.RatOf(t)
		return r.Sign() != 0
	case smt.OpSub, smt.OpToReal:
		return a.NumArgs(t) == 1 && nonzero(a, a.Arg(t, 0))
	case smt.OpDiv:
		return nonzero(a, a.Arg(t, 0)) && nonzero(a, a.Arg(t, 1))
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
		t := j.draw(r, p.consts, want)
		if t == 0 {
			t = j.draw(r, p.consts, 0)
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

// draw picks a variable that was not picked before, of a sort unless that is 0; 0 if there is none.
func (j *Joint) draw(r *rng.Source, vars []smt.Term, want smt.Sort) smt.Term {
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

// Allowed returns what the logics of all parts allow; 0 where that is everything.
func (j *Joint) Allowed() Features {
	f := needAll
	for _, l := range j.logics {
		x, ok := LogicFeatures(l)
		if !ok {
			return 0
		}
		f &= x
	}
	return f | j.need
}

// Env returns where functions over the joint script's variables are generated. Nothing but what the logics allow is
// used if stay is set.
func (j *Joint) Env(r *rng.Source, make any, stay bool, literal float64) *Env {
	e := &Env{Arena: j.arena, Rng: r, Make: make, Name: j.fresh, Literal: literal}
	if stay {
		e.Allowed = j.Allowed()
	}
	return e
}

// fuseTries is how often Fuse draws other variables and other trees.
const fuseTries = 4

// Fuse draws n variables and a function of them from the table, and applies it. It returns nil if no variable is left or
// no operator joins those that were drawn: then it has tried larger functions too. The same is the probability that
// variables have one sort.
func (j *Joint) Fuse(t *Table, e *Env, n int, same float64, size Size) (*Function, error) {
	for try := range fuseTries {
		inputs := j.Inputs(e.Rng, n, same)
		if len(inputs) == 0 {
			return nil, nil
		}
		f, err := t.Generate(e, inputs, size)
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
			if p.slots[x] > 0 {
				p.inverse[x] = f.Inverse[i]
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
