package search

import (
	"math/big"
	"slices"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/softfp"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// RandomModel interprets every constant and function that the script declares by random values: boundaries, constants
// of the script and their neighbours come more often than others. Uninterpreted sorts get one to four elements.
func RandomModel(script *smtlib.Script, r *rng.Source) *model.Model {
	g := newGenerator(script, r)
	for _, f := range g.symbols {
		g.assign(f)
	}
	return g.m
}

// Generator makes random values.
type Generator struct {
	r       *rng.Source
	a       *smt.Arena
	m       *model.Model
	dom     value.Domains
	pool    map[smt.Sort][]value.Value // constants of the script
	symbols []smt.Symbol               // declared by the script
	least   map[smt.Sort]int           // the constructor of least depth, -1 if there is none
	members [][]rune                   // of regular languages in the script
}

// NewGenerator returns a generator for the sorts of an arena. Uninterpreted sorts take their size from the model,
// which may be nil.
func NewGenerator(a *smt.Arena, m *model.Model, r *rng.Source) *Generator {
	if m == nil {
		m = model.New(a)
	}
	return &Generator{r: r, a: a, m: m, dom: value.NewDomains(a, m), pool: map[smt.Sort][]value.Value{},
		least: map[smt.Sort]int{}}
}

// WithSource returns a generator that draws from another stream and knows the same values.
func (g *Generator) WithSource(r *rng.Source) *Generator {
	c := *g
	c.r = r
	return &c
}

func newGenerator(script *smtlib.Script, r *rng.Source) *Generator {
	g := NewGenerator(script.Arena, nil, r)
	known := map[smt.Symbol]bool{}
	for _, c := range script.Declarations() {
		for _, s := range c.Sorts {
			if _, arity := g.a.SortSymbolName(s); arity == 0 && g.a.Datatype(s) == nil {
				sort, _ := g.a.SortApp(s)
				g.universe(sort)
			}
		}
		for _, f := range c.Symbols {
			info := g.a.SymbolInfo(f)
			if info.Kind != smt.SymDeclared || known[f] {
				continue
			}
			known[f] = true
			g.symbols = append(g.symbols, f)
			g.universes(info.Result)
			for _, s := range info.Params {
				g.universes(s)
			}
		}
	}
	g.harvest(script.Asserts())
	return g
}

// universes gives every uninterpreted sort inside s a size.
func (g *Generator) universes(s smt.Sort) {
	if g.a.SortKind(s) == smt.KindUser {
		g.universe(s)
	}
	for _, x := range g.a.SortArgs(s) {
		g.universes(x)
	}
}

func (g *Generator) universe(s smt.Sort) {
	if _, ok := g.m.Universe(s); !ok {
		g.m.SetUniverse(s, uint64(1+g.r.Intn(4)))
	}
}

// maxHarvest bounds the constants kept of a sort.
const maxHarvest = 64

// harvest collects the constants of terms, and members of their regular languages.
func (g *Generator) harvest(roots []smt.Term) {
	a := g.a
	ev := eval.New(a, nil)
	seen := map[smt.Sort]value.Map{}
	regexes := 0
	a.PostOrder(roots, func(t smt.Term) {
		s := a.Sort(t)
		if a.NumArgs(t) == 0 && a.Op(t) != smt.OpApply && a.Op(t) != smt.OpVar || a.Op(t) == smt.OpFP || a.Op(t) == smt.OpToFP ||
			a.NumArgs(t) > 0 && a.IsLiteral(a.Arg(t, 0)) && (a.Op(t) == smt.OpSub || a.Op(t) == smt.OpDiv) {
			v := ev.Value(t)
			if !v.IsValue() || v.Kind() == value.KindRegex || len(g.pool[s]) >= maxHarvest {
				return
			}
			if _, dup := seen[s].Get(v); !dup {
				seen[s] = seen[s].Set(v, v)
				g.pool[s] = append(g.pool[s], v)
			}
		}
		if a.Op(t) == smt.OpStrInRe && regexes < 8 {
			regexes++
			if v := ev.Value(a.Arg(t, 1)); v.Kind() == value.KindRegex {
				for _, steps := range []int{0, 3, 8} {
					if s, ok, err := ev.Languages().Sample(v.Regex(), steps, g.r.Intn); err == nil && ok {
						g.members = append(g.members, s)
					}
				}
			}
		}
	})
}

// assign gives a declared symbol a random interpretation.
func (g *Generator) assign(f smt.Symbol) {
	info := g.a.SymbolInfo(f)
	if len(info.Params) == 0 {
		g.m.Set(f, g.Value(info.Result))
		return
	}
	fn := model.NewFunc(info.Params, g.Value(info.Result))
	for range g.r.Intn(4) {
		args := make([]value.Value, len(info.Params))
		for i, s := range info.Params {
			args[i] = g.Value(s)
		}
		if value.AllComparable(args) {
			fn.Set(args, g.Value(info.Result))
		}
	}
	g.m.SetFunc(f, fn)
}

// Value returns a random value of the sort; it is unknown for sorts that have no values here, such as RegLan.
func (g *Generator) Value(s smt.Sort) value.Value { return g.value(s, 3) }

func (g *Generator) value(s smt.Sort, depth int) value.Value {
	// Values of the formula and their neighbours: there its comparisons change.
	if pool := g.pool[s]; len(pool) > 0 && g.r.Intn(3) == 0 {
		v := pool[g.r.Intn(len(pool))]
		if g.r.Bool() {
			return g.near(v)
		}
		return v
	}
	a := g.a
	switch a.SortKind(s) {
	case smt.KindBool:
		return value.Bool(g.r.Bool())
	case smt.KindInt:
		return value.Int(g.integer())
	case smt.KindReal:
		return value.Real(g.rational())
	case smt.KindString:
		return value.String(g.text())
	case smt.KindRoundingMode:
		return value.Rounding(softfp.Rounding(g.r.Intn(5)))
	case smt.KindBitVec:
		return value.BitVecOf(s, a.Width(s), g.bits(a.Width(s)))
	case smt.KindFloat:
		return g.float(s)
	case smt.KindFiniteField:
		return value.FiniteField(a, s, g.bits(a.Modulus(s).BitLen()+1))
	case smt.KindUser:
		n, ok := g.m.Universe(s)
		if !ok {
			// No sort is empty.
			n = 1
		}
		return value.Element(s, g.r.Uint64()%n)
	case smt.KindSeq:
		elems := make([]value.Value, 0, 4)
		for range g.r.Intn(4) {
			if v := g.value(a.SortArgs(s)[0], depth-1); v.IsValue() {
				elems = append(elems, v)
			}
		}
		return value.Seq(s, elems)
	case smt.KindArray, smt.KindFunc, smt.KindSet, smt.KindBag:
		return g.table(s, depth)
	case smt.KindTuple:
		return g.data(s, 0, a.SortArgs(s), depth)
	case smt.KindNullable:
		if x := g.value(a.SortArgs(s)[0], depth-1); x.IsValue() && g.r.Bool() {
			return value.NonNull(s, x)
		}
		return value.Null(s)
	case smt.KindDatatype:
		return g.datatype(s, depth)
	}
	return value.NoValue("", "no random value of sort "+a.SortString(s))
}

// near returns a value that differs a little from v.
func (g *Generator) near(v value.Value) value.Value {
	step := int64(1 - 2*g.r.Intn(2))
	switch v.Kind() {
	case value.KindInt, value.KindBigInt:
		return value.Int(new(big.Int).Add(v.BigInt(), big.NewInt(step)))
	case value.KindReal, value.KindRat:
		return value.Real(new(big.Rat).Add(v.BigRat(), big.NewRat(step, int64(1+g.r.Intn(3)))))
	case value.KindBitVec, value.KindBigBitVec:
		w := g.a.Width(v.Sort())
		if g.r.Bool() {
			return value.BitVecOf(v.Sort(), w, new(big.Int).Xor(v.BigBitVec(), new(big.Int).Lsh(value.BigOne, uint(g.r.Intn(w)))))
		}
		return value.BitVecOf(v.Sort(), w, new(big.Int).Add(v.BigBitVec(), big.NewInt(step)))
	case value.KindFloat, value.KindBigFloat:
		x, _ := v.FP(g.a)
		n := x.Bits()
		n.Add(n, big.NewInt(step))
		return value.Float(v.Sort(), x.Format().FromBits(n.And(n, value.Ones(int(x.Format().Width())))))
	case value.KindString:
		s := slices.Clone(v.CodePoints())
		switch {
		case len(s) > 0 && g.r.Bool():
			return value.String(s[:len(s)-1])
		case len(s) > 0 && g.r.Bool():
			return value.String(s[1:])
		}
		return value.String(append(s, g.Char()))
	}
	return v
}

// integer is small most of the time, near a power of two or random otherwise.
func (g *Generator) integer() *big.Int {
	n := new(big.Int)
	switch g.r.Intn(8) {
	case 0, 1, 2, 3:
		return big.NewInt(int64(g.r.Range(-8, 8)))
	case 4:
		n.SetInt64(int64(g.r.Range(-1000, 1000)))
	case 5:
		n.Lsh(value.BigOne, uint(g.r.Intn(70)))
		n.Add(n, big.NewInt(int64(g.r.Range(-1, 1))))
	case 6:
		n.SetInt64(int64(g.r.Uint64()))
		n.Rsh(n, uint(g.r.Intn(64)))
	default:
		n.Set(g.bits(1 + g.r.Intn(100)))
	}
	if g.r.Bool() {
		n.Neg(n)
	}
	return n
}

func (g *Generator) rational() *big.Rat {
	r := new(big.Rat).SetInt(g.integer())
	if g.r.Bool() {
		d := big.NewInt(int64(1 + g.r.Intn(10)))
		if g.r.Intn(4) == 0 {
			d.Lsh(value.BigOne, uint(g.r.Intn(30)))
		}
		r.Quo(r, new(big.Rat).SetInt(d))
	}
	return r
}

// bits returns a number below 2^w: a boundary, with few bits set or clear, small, or random.
func (g *Generator) bits(w int) *big.Int {
	n := new(big.Int)
	switch g.r.Intn(8) {
	case 0:
		return [...]*big.Int{n, value.BigOne, value.Ones(w), value.Ones(w - 1), new(big.Int).Lsh(value.BigOne, uint(w-1))}[g.r.Intn(5)]
	case 1:
		for range 1 + g.r.Intn(3) {
			n.SetBit(n, g.r.Intn(w), 1)
		}
		if g.r.Bool() {
			n.Xor(n, value.Ones(w))
		}
	case 2:
		n.SetInt64(int64(g.r.Intn(2 * w)))
		n.And(n, value.Ones(w))
	default:
		for i := 0; i < w; i += 64 {
			n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(g.r.Uint64()))
		}
		n.And(n, value.Ones(w))
		if g.r.Intn(4) == 0 {
			n.Rsh(n, uint(g.r.Intn(w)))
		}
	}
	return n
}

func (g *Generator) float(s smt.Sort) value.Value {
	f, err := value.FloatFormat(g.a, s)
	if err != nil {
		return value.TooLarge(smt.OpFP.String(), err.Error())
	}
	neg := g.r.Bool()
	switch g.r.Intn(12) {
	case 0:
		return value.Float(s, f.Zero(neg))
	case 1:
		return value.Float(s, f.Inf(neg))
	case 2:
		return value.Float(s, f.NaN())
	case 3:
		return value.Float(s, [...]softfp.Float{f.Max(neg), f.MinNormal(neg), f.MinSubnormal(neg)}[g.r.Intn(3)])
	case 4, 5:
		return value.Float(s, f.FromInt64(softfp.RNE, int64(g.r.Range(-20, 20))))
	case 6:
		return value.Float(s, f.FromRat(softfp.RNE, g.rational()))
	case 7: // subnormal numbers
		n := g.bits(int(f.SB() - 1))
		return value.Float(s, f.FromParts(neg, 0, n))
	}
	return value.Float(s, f.FromBits(g.bits(int(f.Width()))))
}

const alphabet = "ab01 Z-\\\"u{\x7f"

// Char returns a random character of a string.
func (g *Generator) Char() rune {
	switch g.r.Intn(12) {
	case 0:
		return rune(g.r.Intn(0x30000))
	case 1:
		return [...]rune{0, 0x1F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0x2FFFF}[g.r.Intn(8)]
	case 2, 3:
		return rune('0' + g.r.Intn(10))
	}
	return rune(alphabet[g.r.Intn(len(alphabet))])
}

// text joins pieces of the script's strings, members of its languages and random characters.
func (g *Generator) text() []rune {
	var s []rune
	for range g.r.Intn(4) {
		pool := g.pool[smt.SortString]
		switch {
		case len(g.members) > 0 && g.r.Intn(2) == 0:
			s = append(s, g.members[g.r.Intn(len(g.members))]...)
		case len(pool) > 0 && g.r.Intn(2) == 0:
			s = append(s, pool[g.r.Intn(len(pool))].CodePoints()...)
		default:
			for range g.r.Intn(4) {
				s = append(s, g.Char())
			}
		}
	}
	return s
}

func (g *Generator) table(s smt.Sort, depth int) value.Value {
	args := g.a.SortArgs(s)
	var elem func() value.Value
	switch g.a.SortKind(s) {
	case smt.KindSet:
		elem = func() value.Value { return value.Bool(true) }
	case smt.KindBag:
		elem = func() value.Value { return value.Int64(int64(1 + g.r.Intn(3))) }
	default:
		r, _ := g.a.Applied(s)
		elem = func() value.Value { return g.value(r, depth-1) }
	}
	def := g.dom.Default(s)
	if k := g.a.SortKind(s); k == smt.KindArray || k == smt.KindFunc {
		v := elem()
		if !v.IsValue() {
			return v
		}
		def = value.OfTable(s, value.NewTable(g.dom.Of(args[0]), v))
	}
	if !def.IsValue() {
		return def
	}
	t := def.AsTable()
	for range g.r.Intn(4) {
		k, v := g.value(args[0], depth-1), elem()
		if !k.IsValue() || k.Opaque() || !v.IsValue() {
			continue
		}
		t = t.Put(k, v)
	}
	return value.OfTable(s, t)
}

func (g *Generator) datatype(s smt.Sort, depth int) value.Value {
	dt, m := g.a.DatatypeOf(s)
	ctor := g.r.Intn(len(dt.Constructors))
	if depth <= 0 {
		least, known := g.least[s]
		if !known {
			if c, ok := g.dom.LeastConstructor(s); ok {
				least = c
			} else {
				least = -1
			}
			g.least[s] = least
		}
		if least < 0 {
			return value.NoValue("", "datatype "+g.a.SortString(s)+" has no finite value")
		}
		ctor = least
	}
	return g.data(s, ctor, value.FieldSorts(g.a, dt, ctor, m), depth)
}

func (g *Generator) data(s smt.Sort, ctor int, sorts []smt.Sort, depth int) value.Value {
	fields := make([]value.Value, len(sorts))
	for i, x := range sorts {
		if fields[i] = g.value(x, depth-1); !fields[i].IsValue() {
			return fields[i]
		}
	}
	return value.Data(s, ctor, fields...)
}

// Vary changes about a quarter of the values that a model gives to the symbols of a script.
func Vary(s *smtlib.Script, m *model.Model, r *rng.Source) {
	other := RandomModel(s, r)
	for _, f := range other.Symbols() {
		if !r.Chance(0.25) {
			continue
		}
		if v, ok := other.Value(f); ok {
			m.Set(f, v)
		} else if fn := other.Func(f); fn != nil {
			m.SetFunc(f, fn)
		}
	}
}
