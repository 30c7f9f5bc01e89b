package mutate

import (
	"fmt"
	"math"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Operators says which operator may take the place of which, as in type-aware operator mutation (Winterer, Zhang and
// Su, "On the Unusual Effectiveness of Type-Aware Operator Mutations for Testing SMT Solvers", OOPSLA 2020). Whatever
// it says, an operator is only put where its sorts fit.
type Operators struct {
	table bool // all that fits by the operator table
	rules map[smt.Op][]opRule
	n     int // classes
}

// opRule is a class of operators, seen from one of them.
type opRule struct {
	to     []smt.Op
	lo, hi int // numbers of arguments for which it holds
}

// AnyOperator returns the classes that the operator table implies: an operator may become any other of the standard
// that takes the same arguments and has a result of the same sort, or one of the same solvers' extensions where there
// was one. Quantifiers change into each other.
func AnyOperator() *Operators { return &Operators{table: true} }

// ParseOperators reads classes of operators, one a line, in the format of YinYang's opfuzz: "a,b,c" for operators that
// may replace each other, "a,b -> c,d" for one way only, followed by ":arity 2", ":arity 3+" or ":arity 2-" for the
// number of arguments. Text after a semicolon is a comment. Every class that has an operator counts, not just the first
// one. Names of operators that no solver uses any more (union, intersection, setminus of old CVC4) are read as their
// current names. The error names the line.
func ParseOperators(text string) (*Operators, error) {
	c := &Operators{rules: map[smt.Op][]opRule{}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, ";")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := c.parseLine(line); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", i+1, line, err)
		}
	}
	if len(c.rules) == 0 {
		return nil, fmt.Errorf("no class of operators; want lines such as bvadd,bvsub,bvmul")
	}
	return c, nil
}

// Len returns the number of classes; 0 for AnyOperator.
func (c *Operators) Len() int { return c.n }

func (c *Operators) parseLine(line string) error {
	lo, hi := 0, math.MaxInt
	names, arity, ok := strings.Cut(line, ":")
	if ok {
		arity = strings.Trim(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(arity), "arity")), ": ")
		var n int
		if _, err := fmt.Sscanf(arity, "%d", &n); err != nil || n < 0 {
			return fmt.Errorf("arity %q is none of 2, 2+ and 2-", arity)
		}
		switch strings.TrimLeft(arity, "0123456789") {
		case "":
			lo, hi = n, n
		case "+":
			lo = n
		case "-":
			hi = n
		default:
			return fmt.Errorf("arity %q is none of 2, 2+ and 2-", arity)
		}
	}
	left, right, oneWay := strings.Cut(names, "->")
	from, err := parseOps(left)
	if err != nil {
		return err
	}
	to := from
	if oneWay {
		if to, err = parseOps(right); err != nil {
			return err
		}
	} else if len(from) < 2 {
		return fmt.Errorf("a class wants at least two operators")
	}
	c.n++
	for _, op := range from {
		c.rules[op] = append(c.rules[op], opRule{to, lo, hi})
	}
	return nil
}

// oldNames are those of CVC4's sets, which YinYang's file has.
var oldNames = map[string]smt.Op{
	"union": smt.OpSetUnion, "intersection": smt.OpSetInter, "setminus": smt.OpSetMinus, "forall": smt.OpForall, "exists": smt.OpExists,
}

func parseOps(text string) ([]smt.Op, error) {
	var out []smt.Op
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		op, ok := smt.LookupOp(name)
		if !ok {
			op, ok = oldNames[name]
		}
		if !ok {
			return nil, fmt.Errorf("%q is no operator", name)
		}
		if !containsItem(out, op) {
			out = append(out, op)
		}
	}
	return out, nil
}

// portable lists, by number of arguments, the operators of the standard without indices that z3 and cvc5 have known for
// years. Operators of extensions come in if a seed has one of them.
var portable [5][]smt.Op

// younger are operators of the standard that solvers of older distributions do not know yet.
var younger = map[smt.Op]bool{
	smt.OpBVNego: true, smt.OpBVUaddo: true, smt.OpBVSaddo: true, smt.OpBVUmulo: true, smt.OpBVSmulo: true,
	smt.OpBVUsubo: true, smt.OpBVSsubo: true, smt.OpBVSdivo: true, smt.OpSbvToInt: true, smt.OpDivisible: true,
}

// isPortable reports whether mutations may bring the operator into a script that has no operator of its theory's
// extensions.
func isPortable(op smt.Op) bool {
	i := op.Info()
	return !op.Structural() && i.Standard() && !i.ModelOnly && !younger[op]
}

func init() {
	for _, i := range smt.Ops() {
		if i.ModelOnly || younger[i.Op] {
			continue
		}
		for n := range portable {
			if takesArguments(i, n) {
				portable[n] = append(portable[n], i.Op)
			}
		}
	}
}

// takesArguments reports whether an operator has a signature for n arguments, the last of portable's classes standing
// for more.
func takesArguments(i *smt.OpInfo, n int) bool {
	for number := range i.Signatures {
		sig := i.Signature(number)
		k := len(sig.Args)
		if k == n || k == 2 && n > 2 && i.Assoc != smt.AssocNone || sig.Repeat >= 0 && n >= k {
			return true
		}
	}
	return false
}

// mayReplace reports whether an operator may come where another one is: extensions of solvers only beside each other.
func mayReplace(from, to smt.Op) bool {
	f, t := from.Info(), to.Info()
	if t.Standard() {
		return true
	}
	if f.Standard() || f.Theory != t.Theory {
		return false
	}
	for _, s := range f.Solvers {
		if !t.SupportedBy(s) {
			return false
		}
	}
	return true
}

// headChanges stores which heads of a script can change, and their replacements.
type headChanges struct {
	sites map[*Operators][]int32 // nodes whose head can change
	among *Operators             // of known
	known map[ruleKey][]smt.Op   // replacements of an operator with arguments of given sorts
}

type ruleKey struct {
	op   smt.Op
	n    int32
	idx  [2]smt.Index
	sort [4]smt.Sort // of the result and of the first arguments
}

// alternatives returns the operators of c that may take the place of the head of a term. The slice is shared.
func (h *headChanges) alternatives(a *smt.Arena, c *Operators, t smt.Term) []smt.Op {
	op, n := a.Op(t), a.NumArgs(t)
	if op.Structural() || op.Info().Qualified {
		return nil
	}
	key := ruleKey{op: op, n: int32(n)}
	key.sort[0] = a.Sort(t)
	idx := a.Indices(t)
	uniform := len(idx) <= len(key.idx)
	copy(key.idx[:], idx)
	for i := range n {
		s := a.Sort(a.Arg(t, i))
		if i < 3 {
			key.sort[i+1] = s
		} else if s != key.sort[3] {
			uniform = false
		}
	}
	if h.among != c {
		h.among, h.known = c, map[ruleKey][]smt.Op{}
	}
	if uniform {
		if out, ok := h.known[key]; ok {
			return out
		}
	}
	out := c.alternativesOf(a, t)
	if uniform {
		h.known[key] = out
	}
	return out
}

// alternativesOf returns the operators that may take the place of the head of a term.
func (c *Operators) alternativesOf(a *smt.Arena, t smt.Term) []smt.Op {
	op := a.Op(t)
	idx := append([]smt.Index(nil), a.Indices(t)...)
	args := a.CopyArgs(t)
	sort := a.Sort(t)
	var out []smt.Op
	add := func(to smt.Op) {
		if to == op || containsItem(out, to) {
			return
		}
		switch {
		case len(args) == 1 && (to == smt.OpAnd || to == smt.OpOr): // its argument
			if sort != smt.SortBool || a.Sort(args[0]) != smt.SortBool {
				return
			}
		case a.Fits(to, idx, args...) != sort, len(args) == 1 && needsTwoArguments(to):
			return
		case (to == smt.OpEq || to == smt.OpDistinct) && a.Sort(args[0]) == smt.SortRegLan:
			return // no solver compares languages
		}
		out = append(out, to)
	}
	if c.table {
		for _, to := range portable[min(len(args), len(portable)-1)] {
			if mayReplace(op, to) {
				add(to)
			}
		}
		// The conjunction of one argument is that argument: (not x) becomes x.
		if op == smt.OpNot {
			add(smt.OpAnd)
		}
		return out
	}
	for _, r := range c.rules[op] {
		if len(args) < r.lo || len(args) > r.hi {
			continue
		}
		for _, to := range r.to {
			if !to.Structural() {
				add(to)
			}
		}
	}
	return out
}

// needsTwoArguments reports whether the operator joins two or more: z3 takes a single one, other solvers do not.
func needsTwoArguments(op smt.Op) bool {
	switch op {
	case smt.OpStrConcat, smt.OpSeqConcat, smt.OpReConcat, smt.OpReUnion, smt.OpReInter:
		return true
	}
	return false
}

// swapsQuantifier reports whether the quantifier may become the other one.
func (c *Operators) swapsQuantifier(from smt.Op) bool {
	if c.table {
		return true
	}
	for _, r := range c.rules[from] {
		if containsItem(r.to, otherQuantifier(from)) {
			return true
		}
	}
	return false
}

func otherQuantifier(q smt.Op) smt.Op {
	if q == smt.OpForall {
		return smt.OpExists
	}
	return smt.OpForall
}

// sitesOf lists the nodes whose head can change.
func (h *headChanges) sitesOf(x *Subject, c *Operators) []int32 {
	if s, ok := h.sites[c]; ok {
		return s
	}
	s := []int32{}
	for i, t := range x.nodes {
		switch op := x.a.Op(t); {
		case op == smt.OpForall || op == smt.OpExists:
			if c.swapsQuantifier(op) {
				s = append(s, int32(i))
			}
		case len(h.alternatives(x.a, c, t)) > 0:
			s = append(s, int32(i))
		}
	}
	if h.sites == nil {
		h.sites = map[*Operators][]int32{}
	}
	h.sites[c] = s
	return s
}

// changeHead changes the head of the term at the spot to another operator of c.
func (c *Operators) changeHead(e *edit, r *rng.Source) (bool, error) {
	a := e.x.a
	op := a.Op(e.at)
	note := func(to smt.Op) { e.did = append(e.did, "operator: "+op.String()+" -> "+to.String()) }
	if !e.allowsOtherHead() {
		return false, nil
	}
	if op == smt.OpForall || op == smt.OpExists {
		if !c.swapsQuantifier(op) {
			return false, nil
		}
		t, err := a.Quant(otherQuantifier(op), append([]smt.Term(nil), a.BoundVars(e.at)...), a.Body(e.at))
		if err != nil {
			return false, err
		}
		note(otherQuantifier(op))
		return true, e.replaceTerm(t)
	}
	alts := e.x.heads.alternatives(a, c, e.at)
	if len(alts) == 0 || !e.takesAnyTerm() {
		return false, nil
	}
	to := alts[r.Intn(len(alts))]
	if a.NumArgs(e.at) == 1 && (to == smt.OpAnd || to == smt.OpOr) {
		note(to)
		return true, e.replaceTerm(a.Arg(e.at, 0))
	}
	t, err := a.App(to, append([]smt.Index(nil), a.Indices(e.at)...), a.CopyArgs(e.at)...)
	if err != nil {
		return false, err
	}
	note(to)
	return true, e.replaceTerm(t)
}
