package probe

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/generate/gen"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// Questions asks a solver of a kind with some theories for each operator in each of its signatures, whether it takes
// the index 0 and one beyond the width, and more arguments than two. Operands are constants that are pinned to values,
// and the result is that of another constant: all questions together are satisfiable.
func Questions(kind string, theories []string, head string) ([]learn.Question, error) {
	cfg := gen.Config{Theories: theories, Quantifiers: true, MaxWidth: 200, Rules: gen.Exclusions{Kinds: []string{kind}, Theories: theories}}
	q := &questioner{head: head}
	g, err := gen.New(smt.NewArena(), rng.New(0), cfg, q)
	if err != nil {
		return nil, err
	}
	q.g = g
	signatures := map[smt.Op]int{}
	all := g.Alternatives()
	for _, x := range all {
		signatures[x.Op]++
	}
	for _, x := range all {
		lack := gen.LackOfOperator(x.Op)
		if signatures[x.Op] > 1 {
			lack = x.Lack()
		}
		q.operator(&x, lack)
		if x.Op == smt.OpReRange {
			q.out = append(q.out, learn.Question{Lack: rule.Index.With("re.range", "beyond"), Head: head, Group: "ranges", Needs: lack,
				Text: "(declare-const ranged String)\n(assert (not (str.in_re ranged (re.union (re.range \"\" \"b\") (re.range \"aa\" \"b\") (re.range \"b\" \"a\") (re.range \"a\" \"\\u{100}\")))))\n"})
		}
		if x.Op == smt.OpIntPow2 {
			q.out = append(q.out, learn.Question{Lack: rule.Index.With("int.pow2", "beyond"), Head: head, Group: "powers", Needs: lack,
				Text: "(declare-const powers Int)\n(assert (= 3 (mod powers (int.pow2 300))))\n"})
		}
	}
	return q.out, nil
}

// theoryOrder has the theories that others need, before those.
var theoryOrder = []string{"Ints", "Reals", "FixedSizeBitVectors", "ArraysEx", "UF", "Datatypes", "Quantifiers", "FloatingPoint", "Strings"}

// plainQuestions are about theories without an operator of their own, in their simplest form.
var plainQuestions = map[string][]string{
	"UF":          {"(declare-fun f (Bool) Bool)\n(assert (f true))\n"},
	"Datatypes":   {"(declare-datatypes ((D 0)) (((n) (m (h Bool)))))\n(declare-const d D)\n(assert (= d n))\n", "(declare-datatypes () ((D (n) (m (h Bool)))))\n(declare-const d D)\n(assert (= d n))\n"},
	"Reals_Ints":  {"(declare-const i Int)\n(declare-const r Real)\n(assert (= (to_real i) r))\n"}, // its operators come with those of both
	"Quantifiers": {"(assert (exists ((x Bool)) x))\n", "(declare-sort U 0)\n(declare-fun p (U) Bool)\n(assert (exists ((x U)) (p x)))\n"},
}

// maxOfTheory bounds the questions about one theory.
const maxOfTheory = 6

// Theories finds out which theories a solver of a kind has that its profile does not mention: the theories with an
// operator or a sort that the solver accepts.
func Theories(kind, head string, taken func(script string) (bool, error)) ([]string, error) {
	have := []string{"Core"}
	known, err := lacksOf(kind, have, head)
	if err != nil {
		return nil, err
	}
	asked := map[rule.Lack]bool{}
	for _, q := range known {
		asked[q.Lack] = true
	}
	rest := slices.DeleteFunc(slices.Clone(gen.TableTheories()), func(t string) bool {
		return t == "" || t == "Core" || t == gen.HigherOrder || t == gen.ArrayFunctions || slices.Contains(theoryOrder, t)
	})
	for _, theory := range slices.Concat(theoryOrder, rest) {
		questions, err := lacksOf(kind, append(slices.Clone(have), theory), head)
		if err != nil {
			return nil, err
		}
		questions = slices.DeleteFunc(questions, func(q learn.Question) bool { return asked[q.Lack] })
		scripts := []string{}
		for _, text := range plainQuestions[theory] {
			scripts = append(scripts, head+text+"(check-sat)\n")
		}
		for _, q := range questions[:min(maxOfTheory, len(questions))] {
			scripts = append(scripts, q.Head+q.Text+"(check-sat)\n"+q.Tail)
		}
		for _, script := range scripts {
			ok, err := taken(script)
			if err != nil {
				return nil, err
			}
			if ok {
				have = append(have, theory)
				for _, q := range questions {
					asked[q.Lack] = true
				}
				break
			}
		}
	}
	return have, nil
}

// lacksOf returns the questions about the sorts and operators of some theories, one for each feature that a solver may
// lack.
func lacksOf(kind string, theories []string, head string) ([]learn.Question, error) {
	operators, err := Questions(kind, theories, head)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(SortQuestions(theories, head, "(set-option :produce-models true)\n"), operators)
	seen := map[rule.Lack]bool{}
	return slices.DeleteFunc(all, func(q learn.Question) bool {
		again := seen[q.Lack] || q.Needs != rule.Lack{}
		seen[q.Lack] = true
		return again
	}), nil
}

// questioner makes questions about operators. It is also the Chooser for parameters that signatures leave open.
type questioner struct {
	g        *gen.Gen
	head     string
	commands []smtlib.Command
	class    int // of indices
	out      []learn.Question
}

// Command implements gen.Sink.
func (q *questioner) Command(c smtlib.Command) { q.commands = append(q.commands, c) }

// Sort implements gen.Sink.
func (q *questioner) Sort(smt.Sort) {}

// Term implements gen.Sink.
func (q *questioner) Term(smt.Term) {}

// questionWidth is the width of bit vectors in questions: small, and no width of a number of IEEE 754.
const questionWidth = 9

// Width implements gen.Chooser.
func (q *questioner) Width() int { return questionWidth }

// Format implements gen.Chooser.
func (q *questioner) Format() (exponent, bits int) { return 8, 24 }

// Sort implements gen.Chooser: any sort is one that the solver has.
func (c *sortChooser) Sort(kind smt.SortKind) smt.Sort {
	a, g := c.g.A, c.g
	if kind == smt.KindFiniteField {
		return a.FiniteField(big.NewInt(7))
	}
	for _, s := range []smt.Sort{a.BitVec(questionWidth), smt.SortInt, smt.SortReal} {
		if g.SortOn(s) {
			return s
		}
	}
	return smt.SortBool
}

// Index implements gen.Chooser.
func (q *questioner) Index(_, limit, width int) int {
	return gen.BoundaryIndex(q.g.R, q.class, limit, width)
}

// sortChooser is a questioner as a gen.Chooser: as a gen.Sink it has another Sort.
type sortChooser struct{ *questioner }

// indexOne is the class of the index 1.
const indexOne = 1

// operator asks about one operator in one of its signatures.
func (q *questioner) operator(x *gen.Alternative, lack rule.Lack) {
	q.ask(x, lack, indexOne, 0)
	if x.Indices() > 0 {
		q.ask(x, rule.Lack{}, gen.IndexZero, 0)
		q.ask(x, rule.Lack{}, gen.IndexBeyond, 0)
	}
	if x.Repeats() {
		q.ask(x, rule.ManyArguments.Of(x.Op.Info().Name), indexOne, 2)
	}
}

// ask adds a question about an operator with an index of a class and some more arguments. Without a lack, it is about
// the index, and there is none without one.
func (q *questioner) ask(x *gen.Alternative, lack rule.Lack, class, more int) {
	q.commands, q.class = nil, class
	a := q.g.A
	in, ok := q.g.Bind(x, 0, &sortChooser{q})
	if !ok {
		return
	}
	sorts := in.Args
	if more > 0 {
		sorts = append(sorts, slices.Repeat(sorts[1:], more)...)
	}
	var pins []smt.Term
	args := make([]smt.Term, len(sorts))
	for i, s := range sorts {
		literal := smt.Term(0)
		switch {
		case i > 0 && gen.Nonlinear(x.Op):
			if literal = a.Int64(3); s == smt.SortReal {
				literal = a.RealVal(big.NewRat(5, 2))
			}
		case x.Op == smt.OpIntPow2: // a great exponent is a question of its own
			literal = a.Int64(3)
		case a.SortArgs(s) == nil: // literals of the others are made by operators that are asked about themselves
			literal = q.g.Literal(s)
		}
		switch {
		case literal != 0 && (s == smt.SortRegLan || i > 0 && gen.Nonlinear(x.Op)):
			args[i] = literal
		case s == smt.SortRegLan:
			return
		default:
			args[i] = q.g.DeclareWith("x", s, q.g.RandomValue(s))
			if literal != 0 {
				pins = append(pins, a.Eq(args[i], literal))
			}
		}
	}
	t, ok := q.g.Make(x, &in, args)
	if !ok {
		return
	}
	if lack == (rule.Lack{}) {
		if lack = gen.LackOfIndex(a, t); lack == (rule.Lack{}) {
			return
		}
	}
	if a.Sort(t) == smt.SortRegLan { // languages are no values of constants
		t = a.MustApp(smt.OpStrInRe, q.g.DeclareWith("s", smt.SortString, q.g.RandomValue(smt.SortString)), t)
	}
	result := q.g.DeclareWith("r", a.Sort(t), q.g.RandomValue(a.Sort(t)))
	for _, pin := range append(pins, a.Eq(result, t)) {
		q.commands = append(q.commands, smtlib.AssertCommand(pin))
	}
	// Solvers eliminate an equality with a constant that occurs nowhere else before they look at the other side. So the
	// theory has to see the equality as well, and the equality need not hold.
	other, free := q.g.DeclareWith("o", a.Sort(t), q.g.RandomValue(a.Sort(t))), q.g.DeclareWith("p", smt.SortBool, q.g.RandomValue(smt.SortBool))
	q.commands = append(q.commands, smtlib.AssertCommand(a.Or(free, a.Eq(other, t))))
	theory := x.Op.Info().Theory
	var needs rule.Lack
	if theory == "FiniteFields" {
		needs = rule.Sort.Of("FiniteField")
	}
	text := (&smtlib.Script{Arena: a, Commands: q.commands}).Text()
	q.out = append(q.out, learn.Question{Lack: lack, Head: q.head, Text: text, Group: theory, Needs: needs})
}

// Sorts of each kind in questions about sorts: the text, with SCALAR for a sort that the solver has, and what has to be
// declared before. RegLan has no constants, and these questions do not cover functions as values.
var questionSorts = []struct{ kind, theory, declare, text string }{
	{"Bool", "Core", "", "Bool"},
	{"Int", "Ints", "", "Int"},
	{"Real", "Reals", "", "Real"},
	{"String", "Strings", "", "String"},
	{"RoundingMode", "FloatingPoint", "", "RoundingMode"},
	{"BitVec", "FixedSizeBitVectors", "", "(_ BitVec 9)"},
	{"FloatingPoint", "FloatingPoint", "", "(_ FloatingPoint 8 24)"},
	{"Array", "ArraysEx", "", "(Array SCALAR SCALAR)"},
	{"Seq", "Sequences", "", "(Seq SCALAR)"},
	{"Set", "Sets", "", "(Set SCALAR)"},
	{"Bag", "Bags", "", "(Bag SCALAR)"},
	{"FiniteField", "FiniteFields", "", "(_ FiniteField 7)"},
	{"user sort", "UF", "(declare-sort U# 0)\n", "U#"},
	{"datatype", "Datatypes", "(declare-datatypes ((D# 0)) (((c#) (k# (f# Bool)))))\n", "D#"},
}

// Places of sorts in other sorts and in commands, with SORT for the sort and # for a number: of one question.
var questionPlaces = []struct {
	of                        func(sort string) rule.Lack
	group, theory, text, tail string
}{
	{rule.Sort.Of, "sort", "Core", "(declare-const a# SORT)\n(declare-const b# SORT)\n(assert (not (= a# b#)))\n", ""},
	{argumentOf("="), "argument =", "Core", "(declare-const a# SORT)\n(declare-const b# SORT)\n(assert (= a# b#))\n", ""},
	{argumentOf("distinct"), "argument distinct", "Core", "(declare-const a# SORT)\n(declare-const b# SORT)\n(declare-const p# Bool)\n(assert (= p# (distinct a# b#)))\n", ""},
	{argumentOf("ite"), "argument ite", "Core", "(declare-const a# SORT)\n(declare-const b# SORT)\n(declare-const p# Bool)\n(assert (= a# (ite p# a# b#)))\n", ""},
	{sortIn("array-index"), "array-index", "ArraysEx", "(declare-const a# (Array SORT SCALAR))\n(declare-const i# SORT)\n(declare-const j# SORT)\n(assert (not (= (select a# i#) (select a# j#))))\n", ""},
	{sortIn("array-element"), "array-element", "ArraysEx", "(declare-const a# (Array SCALAR SORT))\n(declare-const i# SCALAR)\n(declare-const e# SORT)\n(assert (= (select (store a# i# e#) i#) e#))\n", ""},
	{sortIn("seq-element"), "seq-element", "Sequences", "(declare-const a# (Seq SORT))\n(declare-const e# (Seq SORT))\n(assert (= a# e#))\n", ""},
	{sortIn("set-element"), "set-element", "Sets", "(declare-const a# (Set SORT))\n(declare-const e# (Set SORT))\n(assert (= a# e#))\n", ""},
	{sortIn("bag-element"), "bag-element", "Bags", "(declare-const a# (Bag SORT))\n(declare-const e# (Bag SORT))\n(assert (= a# e#))\n", ""},
	{sortIn("fun-domain"), "fun-domain", "UF", "(declare-fun g# (SORT) Bool)\n(declare-const e# SORT)\n(assert (g# e#))\n", ""},
	{sortIn("fun-codomain"), "fun-codomain", "UF", "(declare-fun g# (Bool) SORT)\n(declare-const e# SORT)\n(assert (= (g# true) e#))\n", ""},
	{sortIn("datatype-field"), "datatype-field", "Datatypes", "(declare-datatypes ((E# 0)) (((n#) (m# (h# SORT)))))\n(declare-const d# E#)\n(declare-const e# SORT)\n(assert (= d# (m# e#)))\n", ""},
	{sortIn("var"), "var", "Quantifiers", "(declare-const e# SORT)\n(assert (exists ((x# SORT)) (= x# e#)))\n", ""},
	{sortIn("get-value"), "get-value", "Core", "(declare-const e# SORT)\n(assert (= e# e#))\n", "(get-value (e#))\n"},
	{sortIn("get-model"), "get-model", "Core", "(declare-const e# SORT)\n(assert (= e# e#))\n", "(get-model)\n"},
}

// argumentOf returns the lacks of an operator over arguments of a kind of sorts.
func argumentOf(operator string) func(sort string) rule.Lack {
	return func(sort string) rule.Lack { return rule.Argument.With(operator, sort) }
}

// sortIn returns the lacks of sorts in a place.
func sortIn(place string) func(sort string) rule.Lack {
	return func(sort string) rule.Lack { return rule.Sort.With(sort, place) }
}

// SortQuestions asks a solver with some theories for each sort, in each place where a rule can exclude it. models are
// the commands that come before questions for values.
func SortQuestions(theories []string, head, models string) (out []learn.Question) {
	scalar := "Bool"
	switch {
	case slices.Contains(theories, "FixedSizeBitVectors"):
		scalar = "(_ BitVec 9)"
	case slices.Contains(theories, "Ints"):
		scalar = "Int"
	}
	has := func(theory string) bool { return theory == "Core" || slices.Contains(theories, theory) }
	for _, place := range questionPlaces {
		for _, s := range questionSorts {
			if !has(place.theory) || !has(s.theory) {
				continue
			}
			number := fmt.Sprintf("q%d", len(out))
			fill := strings.NewReplacer("SORT", s.text, "SCALAR", scalar, "#", number)
			q := learn.Question{Lack: place.of(s.kind), Head: head, Group: place.group}
			q.Text = fill.Replace(s.declare + fillSort(place.text, s.text))
			q.Tail = fill.Replace(place.tail)
			if sort := rule.Sort.Of(s.kind); q.Lack != sort {
				q.Needs = sort
			}
			if q.Tail != "" {
				q.Head = models + head
			}
			out = append(out, q)
		}
	}
	for _, f := range questionForms {
		if slices.ContainsFunc(f.theories, func(t string) bool { return !has(t) }) {
			continue
		}
		fill := strings.NewReplacer("SCALAR", scalar, "#", fmt.Sprintf("q%d", len(out)))
		q := learn.Question{Lack: f.lack, Head: head, Group: f.theories[0], Text: fill.Replace(f.text), Needs: f.needs}
		out = append(out, q)
	}
	return out
}

// fillSort puts a sort into a text; the sort has places of its own to be filled.
func fillSort(text, sort string) string { return strings.ReplaceAll(text, "SORT", sort) }

// questionForms are questions that no single operator or sort covers.
var questionForms = []struct {
	lack     rule.Lack
	theories []string
	text     string
	needs    rule.Lack
}{
	{rule.Sort.With("any", "sort-param"), []string{"UF"}, "(declare-sort U# 1)\n(declare-const a# (U# Bool))\n(assert (= a# a#))\n", rule.Sort.Of("user sort")},
	{rule.Sort.With("any", "sort-param"), []string{"Datatypes"}, "(declare-datatypes ((P# 1)) ((par (X#) ((n#) (m# (h# X#))))))\n(declare-const a# (P# Bool))\n(assert (= a# (m# true)))\n", rule.Lack{}},
	{rule.Sort.With("tester", "sort-param"), []string{"Datatypes"}, "(declare-datatypes ((P# 1)) ((par (X#) ((n#) (m# (h# X#))))))\n(declare-const a# (P# Bool))\n(declare-const b# (P# SCALAR))\n(assert ((_ is n#) a#))\n(assert ((_ is n#) b#))\n", rule.Lack{}},
	{rule.Operator.Of("match"), []string{"Datatypes"}, "(declare-datatypes ((P# 0)) (((n#) (m# (h# Bool)))))\n(declare-const a# P#)\n(assert (match a# ((n# true) ((m# x#) x#))))\n", rule.Lack{}},
	{rule.Feature.Of(rule.MatchRest), []string{"Datatypes"}, "(declare-datatypes ((P# 0)) (((n#) (m# (h# Bool)))))\n(declare-const a# P#)\n(assert (match a# ((n# true) (x# true))))\n(assert (match a# ((n# true) (x# true))))\n", rule.Operator.Of("match")}, // old cvc5 reads it once
	{rule.FpFormat.Of(rule.OtherFormats), []string{"FloatingPoint"}, "(declare-const a# (_ FloatingPoint 3 5))\n(declare-const b# (_ FloatingPoint 3 5))\n(assert (fp.lt (fp.mul RNE a# b#) (fp.add RNE a# b#)))\n", rule.Lack{}},
	{rule.FpFormat.Of(rule.WideExponent), []string{"FloatingPoint"}, "(declare-const a# (_ FloatingPoint 5 4))\n(declare-const b# (_ FloatingPoint 5 4))\n(assert (fp.lt (fp.add RNE a# b#) b#))\n", rule.FpFormat.Of(rule.OtherFormats)},
	{rule.FpFormat.Of(rule.WideExponent), []string{"FloatingPoint"}, "(declare-const a# (_ FloatingPoint 5 4))\n(declare-const b# (_ FloatingPoint 5 4))\n(assert (fp.lt (fp.div RNE a# b#) b#))\n", rule.FpFormat.Of(rule.OtherFormats)},
	{rule.FpFormat.Of(rule.WideExponent), []string{"FloatingPoint"}, "(declare-const a# (_ FloatingPoint 5 4))\n(assert (fp.lt (fp.sqrt RNE a#) a#))\n", rule.FpFormat.Of(rule.OtherFormats)},
	{rule.Feature.Of(rule.LinearArithmetic), []string{"Ints"}, "(declare-const a# Int)\n(declare-const b# Int)\n(assert (= (* a# b#) 6))\n", rule.Lack{}},
	{rule.Feature.Of(rule.LinearArithmetic), []string{"Reals"}, "(declare-const a# Real)\n(declare-const b# Real)\n(assert (= (* a# b#) 6.0))\n", rule.Lack{}},
}
