package operator

import (
	"fmt"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
)

// Definition is the result of a Maker for one choice of an operator's numbers: the result and the inverses, as terms
// over the constants ArgName and ResultName. An inverse that is 0 does not exist: no input may lie below that argument.
type Definition struct {
	Arena   *smt.Arena
	Apply   smt.Term
	Inverse []smt.Term
}

// Maker makes the definition of an operator over arguments of the given sorts, which live in the arena. The env is what
// the caller of Rule passes on; nums are the operator's indices in their order.
type Maker func(env any, a *smt.Arena, args []smt.Sort, result smt.Sort, idx []*big.Int) (*Definition, error)

// Operator is an operator or a compound expression with its inverses: from the result and the other arguments, an
// inverse gives an argument back.
type Operator struct {
	Name   string
	Theory string
	Args   []smt.Pattern
	Result smt.Pattern
	Index  []template.IndexRange
	Weight int // how often it is chosen; at least 1
	// Assumed says that the inverses hold by assumption: they use functions that are declared anew wherever the operator
	// is used, and that the inverses give the arguments back is asserted of them.
	Assumed bool
	// Unproven operators may be used although nothing proved them.
	Unproven bool
	Make     Maker

	names      []string             // of the arguments, in messages; nil: x1, x2, ...
	nums       []byte               // number variables of the sorts
	data       *smt.Pattern         // the datatype among the sorts, if there is one
	letters    bool                 // the sorts have variables
	sorted     bool                 // some of them are sorts: templates depend on these alone
	only       atomic.Pointer[Rule] // the rule, where there are no numbers
	invertible []bool
	needs      logic.Features
	mu         sync.Mutex
	rules      map[ruleKey]*Rule
}

// Rule is an operator for one choice of its numbers.
type Rule struct {
	Op      *Operator
	Apply   *template.Template
	Inverse []*template.Template
	Needs   logic.Features // logic features that it needs when applied to terms other than literals
	Numbers string         // the choice, for messages

	Fresh    []template.Fresh
	bindings smt.Bindings // of the numbers
}

type ruleKey struct {
	nums    [6]int32
	variant uint8
}

// MaxVariants bounds the values of an operator's indices for one choice of sorts.
const MaxVariants = 8

// Check reports the error in the patterns of an operator; it must be called before use.
func (o *Operator) Check() error {
	if o.Name == "" {
		return fmt.Errorf("the operator has no name: want one such as \"int.add\"")
	}
	if len(o.Args) == 0 || len(o.Args) > 6 {
		return fmt.Errorf("operator %s: takes 1 to 6 arguments, given %d", o.Name, len(o.Args))
	}
	if o.Weight < 1 {
		o.Weight = 1
	}
	o.nums, o.letters, o.sorted = o.numbers(), false, false
	o.only.Store(nil)
	num, sort := func(byte) { o.letters = true }, func(byte) { o.letters, o.sorted = true, true }
	for i := range o.Args {
		o.Args[i].Variables(num, sort)
	}
	o.Result.Variables(num, sort)
	for i := range len(o.Args) + 1 {
		p := o.pattern(i)
		if p.Kind() != smt.KindDatatype {
			continue
		}
		if o.data != nil && o.data.String() != p.String() {
			return fmt.Errorf("operator %s: %s and %s: one datatype is all that an operator may have", o.Name, o.data.String(), p.String())
		}
		o.data = p
	}
	if n := len(o.nums); n > len(ruleKey{}.nums) {
		return fmt.Errorf("operator %s: %d numbers are too many", o.Name, n)
	}
	o.rules = map[ruleKey]*Rule{}
	return nil
}

// numbers lists the number variables of the sorts, each once.
func (o *Operator) numbers() []byte {
	var out []byte
	num := func(v byte) {
		if !slices.Contains(out, v) && !slices.ContainsFunc(o.Index, func(r template.IndexRange) bool { return r.Letter == v }) {
			out = append(out, v)
		}
	}
	for i := range o.Args {
		o.Args[i].Variables(num, func(byte) {})
	}
	o.Result.Variables(num, func(byte) {})
	return out
}

// Rule returns the operator for bindings of all numbers of its sorts, with variant number v of its indices, which it
// binds. The rule is made at its first use and remembered.
func (o *Operator) Rule(env any, b *smt.Bindings, v int) (*Rule, error) {
	if r := o.only.Load(); r != nil {
		return r, nil
	}
	key := ruleKey{variant: uint8(v)}
	for i, x := range o.nums {
		n, ok := b.Number(x)
		if !ok {
			return nil, template.ErrNone
		}
		key.nums[i] = int32(n)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	// That there is no rule is remembered, too: making one may call a script.
	if r, ok := o.rules[key]; ok {
		if r == nil {
			return nil, template.ErrNone
		}
		for _, x := range o.Index {
			if n, ok := r.bindings.Number(x.Letter); ok {
				b.BindNumber(x.Letter, n)
			}
		}
		return r, nil
	}
	idx, err := o.indices(b, key, v)
	if err != nil || !o.bounded(b) {
		o.rules[key] = nil
		return nil, template.ErrNone
	}
	r, err := o.newRule(env, b, idx)
	if err == template.ErrNone {
		o.rules[key] = nil
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", o.Name, err)
	}
	o.rules[key] = r
	if len(o.nums)+len(o.Index) == 0 {
		o.only.Store(r)
	}
	return r, nil
}

// The greatest width, and the greatest width of an exponent, that operators make or take: beyond them, trees of
// operators that widen their arguments would have numbers that nothing can handle.
const (
	maxWidth    = 1 << 11
	maxExponent = 16
)

// pattern returns the sort of an argument, or of the result behind them.
func (o *Operator) pattern(i int) *smt.Pattern {
	if i < len(o.Args) {
		return &o.Args[i]
	}
	return &o.Result
}

// bounded reports whether the sorts are within bounds.
func (o *Operator) bounded(b *smt.Bindings) bool {
	for i := range len(o.Args) + 1 {
		p := o.pattern(i)
		switch p.Kind() {
		case smt.KindBitVec:
			if w, ok := p.Numeral(0).Value(b); ok && w > maxWidth {
				return false
			}
		case smt.KindFloat:
			if e, ok := p.Numeral(0).Value(b); ok && e > maxExponent {
				return false
			}
		}
	}
	return true
}

// indices draws the indices of a variant. They follow from the operator, its numbers and the variant alone: variants 0
// and 1 are the bounds.
func (o *Operator) indices(b *smt.Bindings, key ruleKey, v int) ([]*big.Int, error) {
	if len(o.Index) == 0 {
		return nil, nil
	}
	out := make([]*big.Int, len(o.Index))
	h := uint64(v)
	for _, n := range key.nums {
		h = h*0x9E3779B97F4A7C15 + uint64(n) + 1
	}
	r := rng.New(h).SplitString(o.Name)
	for i := range o.Index {
		x := &o.Index[i]
		lo, ok1 := x.Low.Big(b)
		hi, ok2 := x.High.Big(b)
		if !ok1 || !ok2 || lo.Cmp(hi) > 0 {
			return nil, template.ErrNone
		}
		span := new(big.Int).Sub(hi, lo)
		n := new(big.Int)
		switch v {
		case 0:
		case 1:
			n.Set(span)
		default:
			for n.BitLen() < span.BitLen()+16 {
				n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(r.Uint64()))
			}
			n.Mod(n, span.Add(span, big.NewInt(1)))
		}
		out[i] = n.Add(n, lo)
		if out[i].IsInt64() {
			b.BindNumber(x.Letter, out[i].Int64())
		}
	}
	return out, nil
}

// scratchArena is an arena for terms that are dropped at once: their products are kept elsewhere.
type scratchArena struct {
	*smt.Arena
	mark smt.Mark
}

// scratchArenas are kept for their memory.
var scratchArenas = sync.Pool{New: func() any {
	a := smt.NewArena()
	return &scratchArena{a, a.Mark()}
}}

func (a *scratchArena) free() {
	a.Release(a.mark)
	scratchArenas.Put(a)
}

// newRule has the definition made over letters as sorts and compiles it.
func (o *Operator) newRule(env any, b *smt.Bindings, idx []*big.Int) (*Rule, error) {
	a := scratchArenas.Get().(*scratchArena)
	defer a.free()
	own := b.Numbers()
	letter := func(v byte) {
		// A sort of which nothing is known, so that the rule holds for whatever the letter will stand for.
		s, err := a.SortApp(a.DeclareSort(string(rune(v)), 0))
		if err == nil {
			own.BindSort(v, s)
		}
	}
	o.Result.Variables(func(byte) {}, letter)
	for i := range o.Args {
		o.Args[i].Variables(func(byte) {}, letter)
	}
	if o.data != nil {
		if err := template.DeclareData(a.Arena, o.data, &own); err != nil {
			return nil, err
		}
	}
	var args []smt.Sort
	for i := range o.Args {
		s := o.Args[i].Build(a.Arena, &own)
		if s == 0 {
			return nil, template.ErrNone
		}
		args = append(args, s)
	}
	result := o.Result.Build(a.Arena, &own)
	if result == 0 {
		return nil, template.ErrNone
	}
	def, err := o.Make(env, a.Arena, args, result, idx)
	if err != nil {
		return nil, err
	}
	r := &Rule{Op: o, Numbers: o.describe(b, idx), bindings: b.Numbers()}
	if err := r.compile(def, args, result); err != nil {
		return nil, err
	}
	if o.invertible == nil {
		o.invertible = make([]bool, len(args))
		for i, t := range r.Inverse {
			o.invertible[i] = t != nil
		}
		o.needs = r.Needs
	}
	if !o.Assumed {
		return r, r.sanity(o)
	}
	return r, nil
}

func (r *Rule) compile(def *Definition, args []smt.Sort, result smt.Sort) (err error) {
	a := def.Arena
	if got := a.SortString(a.Sort(def.Apply)); got != a.SortString(result) {
		return fmt.Errorf("apply gives sort %s, declared is %s", got, a.SortString(result))
	}
	if r.Apply, err = template.Compile(a, def.Apply, &r.Fresh); err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	if len(def.Inverse) != len(args) {
		return fmt.Errorf("there are %d inverses for %d arguments", len(def.Inverse), len(args))
	}
	terms := []smt.Term{def.Apply}
	for i, t := range def.Inverse {
		if t == 0 {
			r.Inverse = append(r.Inverse, nil)
			continue
		}
		if a.Sort(t) != args[i] {
			return fmt.Errorf("inverse %d gives sort %s, the argument has sort %s", i+1, a.SortString(a.Sort(t)), a.SortString(args[i]))
		}
		x, err := template.Compile(a, t, &r.Fresh)
		if err != nil {
			return fmt.Errorf("inverse %d: %w", i+1, err)
		}
		r.Inverse = append(r.Inverse, x)
		terms = append(terms, t)
	}
	if len(r.Fresh) > 0 && !r.Op.Assumed {
		return fmt.Errorf("the function %s is not declared: only an operator with assumed = True declares functions anew", r.Fresh[0].Name)
	}
	r.Needs = logic.OfTerms(a, terms)
	if !r.Op.Assumed {
		r.Needs &^= logic.Functions
	}
	return nil
}

// describe names the numbers of a rule.
func (o *Operator) describe(b *smt.Bindings, idx []*big.Int) string {
	s := ""
	for _, v := range o.numbers() {
		n, _ := b.Number(v)
		s += fmt.Sprintf(" %c=%d", v, n)
	}
	for i := range idx {
		s += fmt.Sprintf(" %c=%s", o.Index[i].Letter, idx[i])
	}
	if s == "" {
		return ""
	}
	return s[1:]
}

// Signature returns the sorts of the operator as text.
func (o *Operator) Signature() string {
	s := ""
	for i := range o.Args {
		s += o.Args[i].String() + " "
	}
	s += "-> " + o.Result.String()
	for _, x := range o.Index {
		s += fmt.Sprintf(", %c in %s", x.Letter, x.Text)
	}
	return s
}

// Invertible reports whether inputs may lie below argument i. It has the operator's first rule made if there is none.
func (o *Operator) Invertible(env any, i int) (bool, error) {
	if err := o.Prepare(env); err != nil {
		return false, err
	}
	return o.invertible[i], nil
}

// Takes reports whether the operator can be applied to arguments of the sorts, has an inverse for each of them, and all
// its sorts follow from them. A sort 0 stands for a constant of the sort that the operator asks for there.
func (o *Operator) Takes(env any, a *smt.Arena, sorts []smt.Sort) (bool, error) {
	if len(sorts) != len(o.Args) {
		return false, nil
	}
	if err := o.Prepare(env); err != nil {
		return false, err
	}
	var b smt.Bindings
	for i, s := range sorts {
		if s != 0 && (!o.invertible[i] || !o.Args[i].Match(a, s, &b)) {
			return false, nil
		}
	}
	if o.data != nil && b.Constructor == 0 {
		return false, nil
	}
	if _, err := o.Rule(env, &b, 0); err != nil {
		if err == template.ErrNone {
			err = nil
		}
		return false, err
	}
	for i := range len(o.Args) + 1 {
		if o.pattern(i).Build(a, &b) == 0 {
			return false, nil
		}
	}
	return true, nil
}

// HasInverse reports whether an argument has an inverse. It is known once a rule is made, see Prepare.
func (o *Operator) HasInverse(argument int) bool { return o.invertible[argument] }

// HasInverses reports whether some argument has an inverse.
func (o *Operator) HasInverses() bool { return slices.Contains(o.invertible, true) }

// Needs returns the features that every rule of the operator needs of a logic.
func (o *Operator) Needs() logic.Features { return o.needs }

// Datatype is the pattern of the datatype among the sorts; nil if there is none.
func (o *Operator) Datatype() *smt.Pattern { return o.data }

// HasVariables reports whether the sorts have variables, for numbers or for sorts.
func (o *Operator) HasVariables() bool { return o.letters }

// HasSortVariables reports whether the sorts have variables for sorts: templates depend on these alone.
func (o *Operator) HasSortVariables() bool { return o.sorted }

// Prepare makes a rule, from which it is known which arguments have an inverse.
func (o *Operator) Prepare(env any) error {
	o.mu.Lock()
	known := o.invertible != nil
	o.mu.Unlock()
	if known {
		return nil
	}
	for _, w := range []int64{8, 5, 2} {
		for v := range 2 {
			b := o.sample(w)
			if _, err := o.Rule(env, b, v); err == nil {
				return nil
			} else if err != template.ErrNone {
				return err
			}
		}
	}
	return fmt.Errorf("operator %s: no choice of its numbers gives sorts", o.Name)
}

// sample binds every number of the sorts to about w.
func (o *Operator) sample(w int64) *smt.Bindings {
	b := &smt.Bindings{}
	for i, v := range o.numbers() {
		b.BindNumber(v, max(w-int64(i), 2))
	}
	return b
}
