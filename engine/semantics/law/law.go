// Package law has laws of terms: that two terms have the same value, or that one formula implies another, for all
// values of their parameters, as data. Widths, formats and sorts of elements are generic: a law is made into a Rule for
// each choice of its numbers. Claims are the statements to prove for a rule; engine/semantics/proof decides them.
package law

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// Kind is the relation between the two sides of a law.
type Kind uint8

const (
	// Equal laws state that both sides have the same value.
	Equal Kind = iota
	// Implies laws state that the right side is true where the left one is.
	Implies
)

func (k Kind) String() string { return [...]string{"equal", "implies"}[k] }

// ParseKind reads the name of a kind.
func ParseKind(text string) (Kind, error) {
	for _, k := range []Kind{Equal, Implies} {
		if k.String() == text {
			return k, nil
		}
	}
	return 0, fmt.Errorf("there is no kind of law %q, want equal or implies", text)
}

// Parameter is a parameter of a law: a term of a sort, a list of them, the variables of a quantifier, or a formula
// below it.
type Parameter struct {
	Name      string
	Sort      smt.Pattern // of variables: that of a single one
	List      bool        // any number of terms, as arguments of an operator
	Variables bool        // the variables of a quantifier, one or more
	Below     string      // the letters of variables that may occur in a formula; "" for other parameters
	below     []int       // the parameters that have these letters
}

// ParseParameter reads a sort such as BV(m). "BV(m)..." is a list, "Vars(V)" the variables of a quantifier, and
// "Bool(V)" a formula in which these may occur.
func ParseParameter(text string) (p Parameter, err error) {
	text = strings.TrimSpace(text)
	inner, closed := strings.CutSuffix(text, ")")
	if letter, ok := strings.CutPrefix(inner, "Vars("); ok && closed {
		p.Variables = true
		if p.Sort, err = smt.ParsePattern(letter); err == nil && !p.Sort.IsVariable() {
			err = fmt.Errorf("%s: the variables of a quantifier are named by a capital letter, as in Vars(V)", text)
		}
		return p, err
	}
	if letters, ok := strings.CutPrefix(inner, "Bool("); ok && closed {
		p.Below = strings.ReplaceAll(letters, ",", "")
		if p.Below == "" {
			return p, fmt.Errorf("%s: want the letters of the variables that may occur in the formula, as in Bool(V)", text)
		}
		p.Sort, err = smt.ParsePattern("Bool")
		return p, err
	}
	text, p.List = strings.CutSuffix(text, "...")
	p.Sort, err = smt.ParsePattern(text)
	return p, err
}

// String writes a parameter as ParseParameter reads it.
func (p *Parameter) String() string {
	switch {
	case p.Variables:
		return "Vars(" + p.Sort.String() + ")"
	case p.Below != "":
		return "Bool(" + strings.Join(strings.Split(p.Below, ""), ",") + ")"
	case p.List:
		return p.Sort.String() + "..."
	}
	return p.Sort.String()
}

// Constants returns the terms that stand for parameter i in the terms of a Maker: a term, the elements of a list, or
// the variables of a quantifier.
func (l *Law) Constants(a *smt.Arena, i int, sorts []smt.Sort) []smt.Term {
	p := &l.Parameters[i]
	switch {
	case p.Variables:
		return []smt.Term{a.Var(template.VarName(i), sorts[i])}
	case p.Below != "":
		var vars []smt.Term
		var params []smt.Sort
		for _, k := range p.below {
			vars, params = append(vars, a.Var(template.VarName(k), sorts[k])), append(params, sorts[k])
		}
		t, err := a.Apply(a.Declare(template.BodyName(i, p.below), params, smt.SortBool), vars...)
		if err != nil {
			return nil
		}
		return []smt.Term{t}
	case !p.List:
		return []smt.Term{a.Const(a.Declare(template.ArgName(i), nil, sorts[i]))}
	}
	var list []smt.Term
	for j := range template.ListElements {
		list = append(list, a.Const(a.Declare(template.ListName(i, j), nil, sorts[i])))
	}
	return list
}

// Definition is the result of a Maker for one choice of numbers: terms over the constants that Law.Constants returns
// for the parameters. When is 0 where there is no condition.
type Definition struct {
	Left, Right, When smt.Term
}

// Maker makes the sides of a law over parameters of the given sorts, which live in the arena. The env is what the
// caller of Rule passes on; indices are those of the law in their order.
type Maker func(env any, a *smt.Arena, sorts []smt.Sort, indices []*big.Int) (*Definition, error)

// Law is a law.
type Law struct {
	Name       string
	Theory     string
	Kind       Kind
	Parameters []Parameter
	Index      []template.IndexRange
	Written    string // a proof in words, where no solver decides; "" if there is none
	Assumed    bool   // used without a proof on record, where no answer is claimed
	Where      string // the place of its definition
	Make       Maker

	numbers []byte       // number variables of the sorts
	data    *smt.Pattern // the datatype among the sorts, if there is one
	floats  bool
	fields  bool

	mu    sync.Mutex
	rules map[ruleKey]*Rule
}

// maxRules bounds the rules of a law that are remembered: an index may be any number that occurs in a term.
const maxRules = 1 << 6

// maxNumbers bounds the numbers of a law, of its sorts and indices.
const maxNumbers = 8

type ruleKey [maxNumbers]int64

// Rule is a law for one choice of its numbers.
type Rule struct {
	Law         *Law
	Left, Right *template.Template
	When        *template.Template // nil where there is no condition
	Numbers     string             // the choice, for messages
}

// Check reports the error in the parameters of a law; it must be called before use.
func (l *Law) Check() error {
	if l.Name == "" {
		return fmt.Errorf("a law needs a name, as in \"bv.xor_self\"")
	}
	if len(l.Parameters) > 8 {
		return fmt.Errorf("law %s: takes at most 8 parameters, given %d", l.Name, len(l.Parameters))
	}
	l.rules = map[ruleKey]*Rule{}
	l.numbers, l.floats, l.fields, l.data = nil, false, false, nil
	for i := range l.Parameters {
		if err := l.findBelow(i); err != nil {
			return err
		}
		p := &l.Parameters[i].Sort
		l.floats = l.floats || p.Kind() == smt.KindFloat
		l.fields = l.fields || p.Kind() == smt.KindFiniteField
		if p.Kind() == smt.KindDatatype {
			if l.data != nil && l.data.String() != p.String() {
				return fmt.Errorf("law %s: %s and %s: one datatype is all that a law may have", l.Name, l.data.String(), p.String())
			}
			l.data = p
		}
		p.Variables(func(v byte) {
			if !slices.Contains(l.numbers, v) && !slices.ContainsFunc(l.Index, func(r template.IndexRange) bool { return r.Letter == v }) {
				l.numbers = append(l.numbers, v)
			}
		}, func(byte) {})
	}
	if n := len(l.numbers) + len(l.Index); n > maxNumbers {
		return fmt.Errorf("law %s: %d numbers are too many", l.Name, n)
	}
	return nil
}

// findBelow finds the variables that may occur in a formula.
func (l *Law) findBelow(i int) error {
	p := &l.Parameters[i]
	p.below = nil
	for _, letter := range p.Below {
		k := slices.IndexFunc(l.Parameters, func(q Parameter) bool { return q.Variables && q.Sort.String() == string(letter) })
		if k < 0 {
			return fmt.Errorf("law %s: %s: there is no parameter Vars(%c)", l.Name, p, letter)
		}
		p.below = append(p.below, k)
	}
	slices.Sort(p.below)
	return nil
}

// binders reports whether a law speaks of quantifiers.
func (l *Law) binders() bool {
	return slices.ContainsFunc(l.Parameters, func(p Parameter) bool { return p.Variables })
}

// Signature returns the sorts of the law as text.
func (l *Law) Signature() string {
	var parts []string
	for i := range l.Parameters {
		parts = append(parts, l.Parameters[i].String())
	}
	s := strings.Join(parts, " ")
	for _, x := range l.Index {
		s += fmt.Sprintf(", %c in %s", x.Letter, x.Text)
	}
	return s
}

// Rule returns the law for bindings of all its numbers, those of its indices too. It is template.ErrNone where an index
// is out of its range, there are no such sorts, or the condition is false. The rule is made at its first use and
// remembered.
func (l *Law) Rule(env any, b *smt.Bindings) (*Rule, error) {
	var key ruleKey
	for i := range len(l.numbers) + len(l.Index) {
		n, ok := b.Number(l.letter(i))
		if !ok {
			return nil, template.ErrNone
		}
		key[i] = n
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.rules[key]; ok {
		if r == nil {
			return nil, template.ErrNone
		}
		return r, nil
	}
	if len(l.rules) >= maxRules { // rules are made of the law alone: those that are dropped are made again as they were
		clear(l.rules)
	}
	r, err := l.makeRule(env, b)
	if err != nil {
		if err == template.ErrNone {
			l.rules[key] = nil
			return nil, err
		}
		return nil, fmt.Errorf("%s: law %s: %w", l.Where, l.Name, err)
	}
	l.rules[key] = r
	return r, nil
}

// Letters returns the letters of all numbers, those of the sorts first.
func (l *Law) Letters() (letters []byte) {
	for i := range len(l.numbers) + len(l.Index) {
		letters = append(letters, l.letter(i))
	}
	return letters
}

// Data returns the datatype among the sorts, nil if there is none.
func (l *Law) Data() *smt.Pattern { return l.data }

// letter returns the letter of number i: those of the sorts, then the indices.
func (l *Law) letter(i int) byte {
	if i < len(l.numbers) {
		return l.numbers[i]
	}
	return l.Index[i-len(l.numbers)].Letter
}

// arenas are the arenas in which laws are made into rules. Rules keep nothing of them, and reusing an emptied arena
// costs less than making a new one.
var arenas = sync.Pool{New: func() any { return smt.NewArena() }}

func (l *Law) makeRule(env any, b *smt.Bindings) (*Rule, error) {
	var indices []*big.Int
	for i := range l.Index {
		x := &l.Index[i]
		n, _ := b.Number(x.Letter)
		low, ok1 := x.Low.Big(b)
		high, ok2 := x.High.Big(b)
		if !ok1 || !ok2 || big.NewInt(n).Cmp(low) < 0 || big.NewInt(n).Cmp(high) > 0 {
			return nil, template.ErrNone
		}
		indices = append(indices, big.NewInt(n))
	}
	a := arenas.Get().(*smt.Arena)
	defer func(m smt.Mark) {
		a.Release(m)
		arenas.Put(a)
	}(a.Mark())
	own := b.Numbers()
	sorts, err := l.sorts(a, &own, func(v byte) smt.Sort {
		s, _ := a.SortApp(a.DeclareSort(string(rune(v)), 0))
		return s
	})
	if err != nil {
		return nil, err
	}
	def, err := l.Make(env, a, sorts, indices)
	if err != nil {
		return nil, err
	}
	return l.compile(a, def, b)
}

// sorts binds the letters that stand for sorts, and returns the sorts of the parameters: of lists those of their
// elements.
func (l *Law) sorts(a *smt.Arena, b *smt.Bindings, letter func(byte) smt.Sort) ([]smt.Sort, error) {
	for i := range l.Parameters {
		l.Parameters[i].Sort.Variables(func(byte) {}, func(v byte) {
			if b.SortOf(v) == 0 {
				b.BindSort(v, letter(v))
			}
		})
	}
	if l.data != nil {
		if err := template.DeclareData(a, l.data, b); err != nil {
			return nil, err
		}
	}
	sorts := make([]smt.Sort, len(l.Parameters))
	for i := range l.Parameters {
		if sorts[i] = l.Parameters[i].Sort.Build(a, b); sorts[i] == 0 {
			return nil, template.ErrNone
		}
	}
	return sorts, nil
}

func (l *Law) compile(a *smt.Arena, def *Definition, b *smt.Bindings) (*Rule, error) {
	if got, want := a.SortString(a.Sort(def.Right)), a.SortString(a.Sort(def.Left)); got != want {
		return nil, fmt.Errorf("the left side has sort %s, the right side %s", want, got)
	}
	if l.Kind == Implies && a.Sort(def.Left) != smt.SortBool {
		return nil, fmt.Errorf("one formula implies another: the sides have sort %s", a.SortString(a.Sort(def.Left)))
	}
	if def.When != 0 && a.Sort(def.When) != smt.SortBool {
		return nil, fmt.Errorf("the condition has sort %s, want Bool", a.SortString(a.Sort(def.When)))
	}
	switch def.When {
	case a.False():
		return nil, template.ErrNone
	case a.True():
		def.When = 0
	}
	r := &Rule{Law: l, Numbers: l.describe(b)}
	var fresh []template.Fresh
	for _, side := range []struct {
		name string
		t    smt.Term
		to   **template.Template
	}{{"lhs", def.Left, &r.Left}, {"rhs", def.Right, &r.Right}, {"when", def.When, &r.When}} {
		if side.t == 0 {
			continue
		}
		var err error
		if *side.to, err = template.Compile(a, side.t, &fresh); err != nil {
			return nil, fmt.Errorf("%s: %w", side.name, err)
		}
		if len(fresh) > 0 {
			return nil, fmt.Errorf("%s: %s is not declared: a law speaks of its parameters", side.name, fresh[0].Name)
		}
	}
	return r, nil
}

// describe names the numbers of a rule.
func (l *Law) describe(b *smt.Bindings) string {
	var parts []string
	for i := range len(l.numbers) + len(l.Index) {
		n, _ := b.Number(l.letter(i))
		parts = append(parts, fmt.Sprintf("%c=%d", l.letter(i), n))
	}
	return strings.Join(parts, " ")
}

// Proofs are the proofs of the laws in this user's files, by their keys; the proofs of the library's laws are in its
// certificates.
var Proofs = proof.NewLedger("laws", "")

// Key identifies the definition of a law: its sorts and its terms for some choices of numbers. Proofs are recorded
// under it.
func (l *Law) Key(env any) (string, error) {
	rules, err := sampler{l, env}.keyed()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%s\n", l.Name, l.Kind, l.Signature(), l.Written)
	for _, r := range rules {
		for _, t := range []*template.Template{r.Left, r.Right, r.When} {
			fmt.Fprintf(h, "%s\n", r.Numbers)
			if t != nil {
				t.Hash(h)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:24], nil
}

// Operators returns the operators of the table that a law speaks of, in its sides and in its condition, each once.
func (l *Law) Operators(env any) (ops []smt.Op, err error) {
	rules, _, err := l.Samples(env)
	if err != nil {
		return nil, err
	}
	for _, t := range []*template.Template{rules[0].Left, rules[0].Right, rules[0].When} {
		if t == nil {
			continue
		}
		for _, op := range t.Operators() {
			if !slices.Contains(ops, op) {
				ops = append(ops, op)
			}
		}
	}
	return ops, nil
}

// choices lists the numbers of the sorts for which the law is checked.
func (l *Law) choices() [][]int64 {
	if l.fields && len(l.numbers) == 1 {
		return proof.Primes()
	}
	return proof.Choices(len(l.numbers), l.floats)
}
