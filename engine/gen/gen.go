package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/eval"
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/search"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
)

// Sink takes what a Gen makes, in the order in which it is made.
type Sink interface {
	Command(c smtlib.Command) // a declaration or definition
	Sort(s smt.Sort)
	Term(t smt.Term)
}

// Gen makes sorts and terms. All names are new within its life, so that one assignment serves all of them, across push,
// pop and reset.
type Gen struct {
	A     *smt.Arena
	R     *rng.Source
	Cfg   Config
	DB    *DB
	Model *model.Model
	Ev    *eval.Evaluator
	// On are the theories, as the operator table names them.
	On map[string]bool
	// Tried and Made count operators by name: attempts to apply them, and terms made.
	Tried, Made map[string]int
	// favoured are choices that this run makes often: each run has its own (Swarm).
	favoured   []*choice
	positional bool // there are rules about arguments of operators
	indexed    bool // there are rules about indices
	// literalFactors: products and quotients take literals in all places but one.
	literalFactors bool

	excluded map[string]bool // the lines of the rules
	without  map[string]bool // the operators among them
	kinds    []bool          // the kinds of sorts that can exist, once they were asked for
	inside   bool            // the body of a lambda is being made

	sink    Sink
	values  *search.Generator
	byName  map[string][]choice        // operators by theory
	names   []string                   // of the theories in byName, in order
	results map[smt.Sort][]Alternative // of Results, as far as they were asked for
	funs    []fun
	data    []dataSort
	scope   int // the assertion level
	counter int
	taken   map[string]bool // names of the script that a generator is over
}

// choice is an alternative of an operator that can be made here.
type choice struct {
	op     smt.Op
	sig    *smt.Signature
	weight float64
}

type fun struct {
	sym   smt.Symbol
	scope int
}

type dataSort struct {
	sort  smt.Sort
	dt    *smt.Datatype
	scope int
}

// New returns a generator over an arena. The error names what is wrong with the configuration.
func New(a *smt.Arena, r *rng.Source, cfg Config, sink Sink) (*Gen, error) {
	on, err := cfg.Fill()
	if err != nil {
		return nil, err
	}
	literalFactors := slices.Contains(cfg.Rules.Exclude, "linear arithmetic")
	cfg.Linear = cfg.Linear || literalFactors || slices.Contains(cfg.Rules.Exclude, "operator *")
	g := &Gen{A: a, R: r, Cfg: cfg, On: on, sink: sink, Tried: map[string]int{}, Made: map[string]int{}, byName: map[string][]choice{}, literalFactors: literalFactors}
	g.positional = slices.ContainsFunc(cfg.Rules.Exclude, func(line string) bool { return strings.HasPrefix(line, "argument ") })
	g.indexed = slices.ContainsFunc(cfg.Rules.Exclude, func(line string) bool { return strings.HasPrefix(line, "index ") })
	g.excluded = make(map[string]bool, len(cfg.Rules.Exclude))
	g.without = map[string]bool{}
	for _, line := range cfg.Rules.Exclude {
		g.excluded[line] = true
		if name, ok := strings.CutPrefix(line, "operator "); ok {
			g.without[name] = true
		}
	}
	g.drop()
	g.Reset()
	return g, nil
}

// drop leaves theories out where the targets do not take them together: in one run of ten it would be tried all the same
// by Murxla; here refused runs are runs lost. Quantifiers that were asked for stay.
func (g *Gen) drop() {
	for _, line := range g.Cfg.Rules.Conflicts {
		var all []string
		for _, t := range splitWords(line) {
			if g.On[t] {
				all = append(all, t)
			}
		}
		if len(all) < len(splitWords(line)) || len(all) == 0 {
			continue
		}
		if others := slices.DeleteFunc(slices.Clone(all), func(t string) bool { return t == "Quantifiers" }); g.Cfg.Quantifiers && len(others) > 0 {
			all = others
		}
		delete(g.On, all[g.R.Intn(len(all))])
	}
}

// Disable leaves a theory out of this run.
func (g *Gen) Disable(theory string) {
	g.kinds = nil
	delete(g.On, theory)
	if theory == "ArraysEx" {
		delete(g.On, ArrayFunctions)
	}
	if theory == "Ints" || theory == "Reals" {
		delete(g.On, "Reals_Ints")
	}
	g.names = nil // surveyed when it is needed
}

// Reset forgets all sorts, terms and assignments, as (reset) does. Names go on.
func (g *Gen) Reset() {
	g.DB = newDB(g.A)
	if g.Model == nil {
		g.Model = model.New(g.A)
		g.Ev = eval.New(g.A, g.Model)
		g.Ev.Limits.Steps, g.Ev.Limits.Instances, g.Ev.Limits.Bits, g.Ev.Limits.Length = 20000, 300, 1<<14, 1<<14
		g.values = search.NewGenerator(g.A, g.Model, g.R.SplitString("values"))
	}
	g.funs, g.data, g.scope = nil, nil, 0
	g.DB.AddSort(smt.SortBool, 0)
	for _, b := range []bool{true, false} {
		g.DB.Add(g.A.BoolVal(b))
	}
}

// Scope returns the assertion level.
func (g *Gen) Scope() int { return g.scope }

// Push opens n assertion levels.
func (g *Gen) Push(n int) { g.scope += n }

// Pop closes n assertion levels, with what was declared in them.
func (g *Gen) Pop(n int) {
	g.scope -= n
	g.DB.CloseScope(g.scope)
	g.funs = slices.DeleteFunc(g.funs, func(f fun) bool { return f.scope > g.scope })
	g.data = slices.DeleteFunc(g.data, func(d dataSort) bool { return d.scope > g.scope })
}

func (g *Gen) name(prefix string) string {
	for {
		g.counter++
		if name := fmt.Sprintf("%s%d", prefix, g.counter); !g.taken[name] {
			return name
		}
	}
}

// survey lists the operators that can be made, when the theories are settled.
func (g *Gen) survey() {
	if g.names != nil {
		return
	}
	g.byName, g.names, g.results = map[string][]choice{}, nil, map[smt.Sort][]Alternative{}
	for _, info := range smt.Ops() {
		if !g.On[info.Theory] || info.ModelOnly || g.excludedOp(info) {
			continue
		}
		w := g.weight(info.Name)
		if w <= 0 {
			continue
		}
		for i := range info.Signatures {
			if s := info.Signature(i); g.takes(info, i, s) && !g.excluded[signatureLine(info.Op, s.Text)] {
				g.byName[info.Theory] = append(g.byName[info.Theory], choice{info.Op, s, w})
			}
		}
		if len(g.byName[info.Theory]) > 0 && !slices.Contains(g.names, info.Theory) {
			g.names = append(g.names, info.Theory)
		}
	}
	for _, t := range []string{"UF", "Datatypes", "Quantifiers", HigherOrder, HigherOrder, ArrayFunctions, ArrayFunctions} {
		if g.On[t] {
			g.names = append(g.names, t)
		}
	}
	if slices.ContainsFunc(g.Cfg.Extra, g.takesExtra) {
		g.names = append(g.names, "extra")
	}
	g.favoured = nil
}

// weight is how often an operator is applied, as the configuration has it.
func (g *Gen) weight(name string) float64 {
	if w, ok := g.Cfg.Weights[name]; ok {
		return w
	}
	return 1
}

// Swarm chooses a few operators that this run applies often, so that over many runs each operator gets runs of its own, in
// which it meets others of the few (Groce et al., "Swarm Testing", ISSTA 2012). The theories of the run must be settled.
func (g *Gen) Swarm() {
	g.survey()
	g.favoured = nil
	total := 0
	for _, t := range g.names {
		total += len(g.byName[t])
	}
	for range min(swarmSize, total) {
		i := g.R.Intn(total)
		for _, t := range g.names {
			if list := g.byName[t]; i < len(list) {
				if list[i].weight > 0 {
					g.favoured = append(g.favoured, &list[i])
				}
				break
			} else {
				i -= len(list)
			}
		}
	}
}

// swarmSize is how many operators a run favours.
const swarmSize = 6

func (g *Gen) excludedOp(info *smt.OpInfo) bool {
	for _, k := range g.Cfg.Rules.Kinds {
		if !info.SupportedBy(k) {
			return true
		}
	}
	if len(g.Cfg.Rules.Kinds) == 0 && !info.Standard() {
		return true
	}
	if g.without[info.Name] {
		return true
	}
	switch info.Op {
	case smt.OpPow, smt.OpReLoopArgs: // exponents must be literals, the old spelling is the parser's
		return true
	case smt.OpMul, smt.OpDiv, smt.OpIntDiv, smt.OpMod:
		return g.Cfg.Linear && !g.literalFactors
	case smt.OpRem, smt.OpIand, smt.OpIntPow2, smt.OpIntLog2, smt.OpDivTotal, smt.OpModTotal, smt.OpRealDivTotal:
		return g.Cfg.Linear
	}
	return false
}

// takes reports whether the sorts of a signature can exist here.
func (g *Gen) takes(info *smt.OpInfo, number int, s *smt.Signature) bool {
	if number > 0 && len(s.Args) == 1 && info.Assoc != smt.AssocNone && info.Op != smt.OpSub {
		return false // the one-argument forms that solvers print
	}
	if number > 0 && (info.Op == smt.OpAbs || info.Op == smt.OpStrIndexOf || info.Op == smt.OpSeqIndexOf || info.Op == smt.OpReLoop) {
		return false // z3's own
	}
	if info.Op == smt.OpToFP && slices.ContainsFunc(s.Args, func(x smt.Pattern) bool { return x.Fixed() == smt.SortInt }) {
		return false // z3's own, too
	}
	for i := range s.Args {
		if !g.patternOn(&s.Args[i]) {
			return false
		}
	}
	return g.patternOn(&s.Result)
}

// patternOn reports whether the run has the sorts that a pattern is made of.
func (g *Gen) patternOn(p *smt.Pattern) bool {
	if p.Kind() != smt.KindInvalid && !g.kindOn(p.Kind()) {
		return false
	}
	parts := p.Parts()
	for i := range parts {
		if !g.patternOn(&parts[i]) {
			return false
		}
	}
	return true
}

// kindTheory says which theory a kind of sort needs.
var kindTheory = map[smt.SortKind]string{
	smt.KindBool: "Core", smt.KindInt: "Ints", smt.KindReal: "Reals", smt.KindString: "Strings", smt.KindRegLan: "Strings", smt.KindRoundingMode: "FloatingPoint",
	smt.KindBitVec: "FixedSizeBitVectors", smt.KindFloat: "FloatingPoint", smt.KindArray: "ArraysEx", smt.KindSeq: "Sequences", smt.KindSet: "Sets",
	smt.KindBag: "Bags", smt.KindFiniteField: "FiniteFields", smt.KindUser: "UF", smt.KindDatatype: "Datatypes", smt.KindFunc: HigherOrder,
}

func (g *Gen) kindOn(k smt.SortKind) bool {
	if g.kinds == nil {
		g.kinds = make([]bool, smt.KindParam+1)
		for kind, theory := range kindTheory {
			g.kinds[kind] = g.On[theory] && !g.excluded["sort "+kind.String()]
		}
	}
	return g.kinds[k]
}

func (g *Gen) sortOn(s smt.Sort) bool { return g.kindOn(g.A.SortKind(s)) }

func splitWords(s string) []string {
	var out []string
	for s != "" {
		i := slices.Index([]byte(s), ' ')
		if i < 0 {
			return append(out, s)
		}
		if i > 0 {
			out = append(out, s[:i])
		}
		s = s[i+1:]
	}
	return out
}
