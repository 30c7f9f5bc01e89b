package eval_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// termGen writes random ground terms over the operator table, from the signatures as the table has them.
type termGen struct {
	r      *rng.Source
	a      *smt.Arena
	values *search.Generator
	ops    []*smt.OpInfo
	sorts  []smt.Sort // element sorts to choose from where a signature leaves them open
	width  func() int
	format func() (eb, sb int)
	forms  map[smt.SortKind][]form // the operators whose result is of a sort of the kind

	dts      []smt.Sort // datatypes
	quantify []smt.Sort // sorts of bound variables
	bounded  bool       // Int variables have bounds
	small    bool       // Int literals are few
	vars     []boundVar // of the binders around

	noReals         bool
	literalDefaults bool // constant arrays of values only, as cvc5 has them
}

type boundVar struct {
	name string
	sort smt.Sort
}

// form is one signature of an operator, split into its words.
type form struct {
	op     *smt.OpInfo
	idx    []string
	args   []string
	result string
}

func newTermGen(a *smt.Arena, r *rng.Source, ops []*smt.OpInfo, sorts []smt.Sort) *termGen {
	g := &termGen{r: r, a: a, values: search.NewGenerator(a, nil, r), ops: ops, sorts: sorts, forms: map[smt.SortKind][]form{}}
	g.width = func() int {
		if r.Intn(3) == 0 {
			return 1 + r.Intn(130)
		}
		return [...]int{1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63, 64, 65, 128}[r.Intn(14)]
	}
	formats := [][2]int{{3, 5}, {4, 4}, {5, 11}, {8, 24}, {11, 53}, {15, 113}}
	g.format = func() (int, int) { f := formats[r.Intn(len(formats))]; return f[0], f[1] }
	kinds := map[string]smt.SortKind{"Bool": smt.KindBool, "Int": smt.KindInt, "Real": smt.KindReal, "String": smt.KindString,
		"RegLan": smt.KindRegLan, "RoundingMode": smt.KindRoundingMode, "BV": smt.KindBitVec, "FP": smt.KindFloat, "Array": smt.KindArray,
		"Seq": smt.KindSeq, "Set": smt.KindSet, "Bag": smt.KindBag, "FF": smt.KindFiniteField}
	for _, op := range ops {
		if op.ModelOnly {
			continue
		}
		for _, sig := range op.Signatures {
			sig, _, _ = strings.Cut(sig, " where ")
			left, right, _ := strings.Cut(sig, "->")
			f := form{op: op, result: strings.TrimSpace(right)}
			if strings.HasPrefix(left, "[") {
				idx, rest, _ := strings.Cut(left[1:], "]")
				f.idx, left = strings.Fields(idx), rest
			}
			f.args = strings.Fields(left)
			name, _, _ := strings.Cut(f.result, "(")
			if k, ok := kinds[name]; ok {
				g.forms[k] = append(g.forms[k], f)
			} else { // a sort variable: the operator makes any sort
				for _, k := range kinds {
					g.forms[k] = append(g.forms[k], f)
				}
			}
		}
	}
	return g
}

// restrict excludes operators and sorts that a solver is known not to accept, or not to compute in acceptable time.
func (g *termGen) restrict(solver string) {
	g.literalDefaults = solver == "cvc5"
	if solver == "bitwuzla" {
		g.noReals = true
		formats := [][2]int{{5, 11}, {8, 24}, {11, 53}}
		g.format = func() (int, int) { f := formats[g.r.Intn(len(formats))]; return f[0], f[1] }
	}
	for k, forms := range g.forms {
		g.forms[k] = slices.DeleteFunc(forms, func(f form) bool {
			fromInt := f.op.Op == smt.OpToFP && len(f.args) == 2 && f.args[1] == "Int"
			// z3 alone takes the forms of one argument, and two that leave an argument out.
			short := len(f.args) == 1 && (strings.HasSuffix(f.op.Name, ".++") || strings.HasPrefix(f.op.Name, "re.") && f.op.Assoc != smt.AssocNone) ||
				len(f.args) == 2 && strings.HasSuffix(f.op.Name, ".indexof") || f.op.Op == smt.OpReLoop && len(f.idx) == 1
			// z3 does not compute these on literals.
			lazy := f.op.Op == smt.OpStrReplaceRe || f.op.Op == smt.OpStrReplaceReAll
			return solver != "z3" && (fromInt || short) || solver == "z3" && lazy || solver == "bitwuzla" && (f.op.Op == smt.OpFPRem || f.op.Op == smt.OpFPToReal || slices.Contains(f.args, "Real"))
		})
	}
}

// sort picks a sort for a letter that nothing determines.
func (g *termGen) sort() smt.Sort { return g.sorts[g.r.Intn(len(g.sorts))] }

// term writes a term of the sort.
func (g *termGen) term(s smt.Sort, depth int) string {
	forms := g.forms[g.a.SortKind(s)]
	if text, ok := g.special(s, depth); ok {
		return text
	}
	for try := 0; depth > 0 && len(forms) > 0 && try < 20; try++ {
		f := forms[g.r.Intn(len(forms))]
		if text, ok := g.apply(f, s, depth); ok {
			return text
		}
	}
	return g.leaf(s)
}

// special writes what no row of the operator table makes: constructors, selectors, testers, matches, quantifiers and
// variables.
func (g *termGen) special(s smt.Sort, depth int) (string, bool) {
	if len(g.vars) > 0 && g.r.Intn(2) == 0 {
		var fit []string
		for _, v := range g.vars {
			if v.sort == s {
				fit = append(fit, v.name)
			}
		}
		if len(fit) > 0 {
			return fit[g.r.Intn(len(fit))], true
		}
	}
	if depth <= 0 {
		return "", false
	}
	if s == smt.SortBool && len(g.dts) == 0 && (!g.small || len(g.vars) == 0) && g.quantify != nil && len(g.vars) < 4 && g.r.Intn(3) == 0 {
		return g.quantifier(depth), true
	}
	if len(g.dts) == 0 || g.r.Intn(3) == 0 {
		return "", false
	}
	a := g.a
	if dt, m := a.DatatypeOf(s); dt != nil && g.r.Intn(3) != 0 {
		i := g.r.Intn(len(dt.Constructors))
		name := dt.Constructors[i].Name
		if len(dt.Params) > 0 {
			name = "(as " + name + " " + a.SortString(s) + ")"
		}
		for k, f := range value.FieldSorts(a, dt, i, m) {
			if k == 0 {
				name = "(" + name
			}
			name += " " + g.term(f, depth-1)
		}
		if len(a.SymbolInfo(dt.Constructors[i].Symbol).Params) > 0 {
			name += ")"
		}
		return name, true
	}
	d := g.dts[g.r.Intn(len(g.dts))]
	dt, m := a.DatatypeOf(d)
	i := g.r.Intn(len(dt.Constructors))
	switch g.r.Intn(3) {
	case 0:
		if s == smt.SortBool {
			return fmt.Sprintf("((_ is %s) %s)", dt.Constructors[i].Name, g.term(d, depth-1)), true
		}
	case 1:
		for k, f := range value.FieldSorts(a, dt, i, m) {
			if f == s {
				return fmt.Sprintf("(%s %s)", a.SymbolName(dt.Constructors[i].Selectors[k]), g.term(d, depth-1)), true
			}
		}
	case 2:
		return g.match1(s, d, depth), true
	}
	return "", false
}

// match1 writes a match with a case for each constructor.
func (g *termGen) match1(s, d smt.Sort, depth int) string {
	a := g.a
	dt, m := a.DatatypeOf(d)
	text := "(match " + g.term(d, depth-1) + " ("
	for i, c := range dt.Constructors {
		mark := len(g.vars)
		pattern := c.Name
		for k, f := range value.FieldSorts(a, dt, i, m) {
			g.vars = append(g.vars, boundVar{fmt.Sprintf("m%d_%d_%d", depth, i, k), f})
			pattern += " " + g.vars[len(g.vars)-1].name
		}
		if len(g.vars) > mark {
			pattern = "(" + pattern + ")"
		}
		text += "(" + pattern + " " + g.term(s, depth-1) + ")"
		g.vars = g.vars[:mark]
	}
	return text + "))"
}

// quantifier writes a quantifier over small sorts.
func (g *termGen) quantifier(depth int) string {
	mark := len(g.vars)
	var decls []string
	for range 1 + g.r.Intn(3) {
		v := boundVar{fmt.Sprintf("q%d", len(g.vars)), g.quantify[g.r.Intn(len(g.quantify))]}
		g.vars = append(g.vars, v)
		decls = append(decls, fmt.Sprintf("(%s %s)", v.name, g.a.SortString(v.sort)))
	}
	body := g.term(smt.SortBool, depth)
	if g.bounded {
		for _, v := range g.vars[mark:] {
			if v.sort == smt.SortInt {
				body = fmt.Sprintf("(=> (and (<= (- %d) %s) (< %s %d)) %s)", g.r.Intn(5), v.name, v.name, g.r.Intn(6), body)
			}
		}
	}
	g.vars = g.vars[:mark]
	q := "forall"
	if g.r.Bool() && !g.bounded {
		q = "exists"
	}
	return fmt.Sprintf("(%s (%s) %s)", q, strings.Join(decls, " "), body)
}

func (g *termGen) leaf(s smt.Sort) string {
	if g.small && s == smt.SortInt {
		return fmt.Sprint(g.r.Intn(6))
	}
	if s == smt.SortRegLan {
		switch g.r.Intn(6) {
		case 0:
			return [...]string{"re.none", "re.all", "re.allchar"}[g.r.Intn(3)]
		case 1, 2:
			return fmt.Sprintf("(re.range %s %s)", g.leafChar(), g.leafChar())
		}
		return "(str.to_re " + g.leaf(smt.SortString) + ")"
	}
	if g.literalDefaults && g.a.SortKind(s) == smt.KindArray {
		text := g.plain(s)
		for range g.r.Intn(4) {
			args := g.a.SortArgs(s)
			text = fmt.Sprintf("(store %s %s %s)", text, g.leaf(args[0]), g.leaf(args[1]))
		}
		return text
	}
	return g.values.Value(s).Text(g.a)
}

// plain writes what cvc5 takes as the default of a constant array.
func (g *termGen) plain(s smt.Sort) string {
	switch g.a.SortKind(s) {
	case smt.KindInt:
		return fmt.Sprint(g.r.Intn(5))
	case smt.KindReal:
		return fmt.Sprintf("%d.0", g.r.Intn(5))
	case smt.KindArray:
		return fmt.Sprintf("((as const %s) %s)", g.a.SortString(s), g.plain(g.a.SortArgs(s)[1]))
	}
	return g.values.Value(s).Text(g.a)
}

func (g *termGen) leafChar() string {
	return string(smt.AppendString(nil, []rune{g.values.Char()}))
}

type genVars struct {
	nums  map[string]int
	sorts map[string]smt.Sort
}

// apply writes an application whose result is s; ok is false if the form cannot make that sort.
func (g *termGen) apply(f form, s smt.Sort, depth int) (string, bool) {
	v := genVars{map[string]int{}, map[string]smt.Sort{}}
	if !g.unify(f, s, v) {
		return "", false
	}
	args := f.args
	if n := len(args); n == 2 && f.op.Assoc != smt.AssocNone && args[0] == args[1] && f.op.Op != smt.OpBVXnor && f.op.Theory != "Strings" && f.op.Theory != "Sequences" && g.r.Intn(4) == 0 {
		args = append(append([]string(nil), args...), args[1])
	}
	var out []string
	for i, p := range args {
		p = strings.TrimSuffix(p, "...")
		s := g.build(p, v)
		if s == 0 {
			return "", false
		}
		if strings.HasPrefix(f.op.Name, "re.loop*") && i > 0 {
			out = append(out, fmt.Sprint(g.r.Intn(5)))
			continue
		}
		if f.op.Op == smt.OpConstArray && g.literalDefaults {
			out = append(out, g.plain(s))
			continue
		}
		out = append(out, g.term(s, depth-1))
	}
	head := f.op.Wire
	if len(f.idx) > 0 {
		for _, x := range f.idx {
			if _, ok := v.nums[x]; !ok {
				v.nums[x] = g.index(f.op.Op)
			}
			head += fmt.Sprintf(" %d", v.nums[x])
		}
		head = "(_ " + head + ")"
	}
	if f.op.Qualified {
		head = "(as " + head + " " + g.a.SortString(s) + ")"
	}
	if len(out) == 0 {
		return head, true
	}
	return "(" + head + " " + strings.Join(out, " ") + ")", true
}

func (g *termGen) index(op smt.Op) int {
	switch op {
	case smt.OpRotateLeft, smt.OpRotateRight:
		return g.r.Intn(200)
	case smt.OpDivisible:
		return 1 + g.r.Intn(10)
	case smt.OpRepeat:
		return 1 + g.r.Intn(3)
	case smt.OpIand:
		return 1 + g.r.Intn(9)
	}
	return g.r.Intn(5)
}

// unify binds the variables of the form so that its result is s.
func (g *termGen) unify(f form, s smt.Sort, v genVars) bool {
	a := g.a
	w := a.Width(s)
	switch f.op.Op { // the operators whose widths are not a variable each
	case smt.OpConcat:
		if w < 2 {
			return false
		}
		v.nums["m"] = 1 + g.r.Intn(w-1)
		v.nums["n"] = w - v.nums["m"]
		return true
	case smt.OpExtract:
		v.nums["m"] = w + g.r.Intn(20)
		v.nums["j"] = g.r.Intn(v.nums["m"] - w + 1)
		v.nums["i"] = v.nums["j"] + w - 1
		return true
	case smt.OpRepeat:
		k := 1 + g.r.Intn(4)
		v.nums["k"], v.nums["m"] = k, w/k
		return w%k == 0
	case smt.OpZeroExtend, smt.OpSignExtend:
		v.nums["k"] = g.r.Intn(w)
		v.nums["m"] = w - v.nums["k"]
		return true
	case smt.OpBit2Bool:
		v.nums["m"] = 1 + g.r.Intn(70)
		v.nums["i"] = g.r.Intn(v.nums["m"])
		return true
	case smt.OpFP:
		eb, sb := a.FloatFormat(s)
		v.nums["e"], v.nums["n"] = eb, sb-1
		return true
	case smt.OpFPToIeeeBV:
		return false
	}
	return g.match(f.result, s, v)
}

func (g *termGen) match(p string, s smt.Sort, v genVars) bool {
	a := g.a
	name, inner, compound := strings.Cut(strings.TrimSuffix(p, ")"), "(")
	if !compound {
		if len(p) > 1 {
			return g.build(p, v) == s
		}
		if old, ok := v.sorts[p]; ok {
			return old == s
		}
		v.sorts[p] = s
		return true
	}
	parts := strings.Split(inner, ",")
	num := func(x string, n int) bool {
		if len(x) > 1 || x[0] >= '0' && x[0] <= '9' {
			return x == fmt.Sprint(n)
		}
		v.nums[x] = n
		return true
	}
	switch name {
	case "BV":
		return num(parts[0], a.Width(s))
	case "FP":
		eb, sb := a.FloatFormat(s)
		return num(parts[0], eb) && num(parts[1], sb)
	case "FF":
		v.sorts["FF"] = s
		return true
	}
	for i, x := range parts {
		if !g.match(x, a.SortArgs(s)[i], v) {
			return false
		}
	}
	return true
}

// build makes the sort of a pattern and chooses its open parameters.
func (g *termGen) build(p string, v genVars) smt.Sort {
	a := g.a
	fixed := map[string]smt.Sort{"Bool": smt.SortBool, "Int": smt.SortInt, "Real": smt.SortReal, "String": smt.SortString,
		"RegLan": smt.SortRegLan, "RoundingMode": smt.SortRoundingMode}
	if s, ok := fixed[p]; ok {
		return s
	}
	name, inner, compound := strings.Cut(strings.TrimSuffix(p, ")"), "(")
	if !compound {
		if _, ok := v.sorts[p]; !ok {
			v.sorts[p] = g.sort()
		}
		return v.sorts[p]
	}
	parts := strings.Split(inner, ",")
	num := func(x string, fresh int) int {
		sum := 0
		for _, y := range strings.Split(x, "+") {
			if y[0] >= '0' && y[0] <= '9' {
				sum += int(y[0] - '0')
				continue
			}
			if _, ok := v.nums[y]; !ok {
				v.nums[y] = fresh
			}
			sum += v.nums[y]
		}
		return sum
	}
	switch name {
	case "BV":
		return a.BitVec(num(parts[0], g.width()))
	case "FP":
		eb, sb := g.format()
		return a.Float(num(parts[0], eb), num(parts[1], sb))
	case "FF":
		if _, ok := v.sorts["FF"]; !ok {
			for _, s := range g.sorts {
				if a.SortKind(s) == smt.KindFiniteField {
					v.sorts["FF"] = s
				}
			}
		}
		return v.sorts["FF"]
	}
	sorts := make([]smt.Sort, len(parts))
	for i, x := range parts {
		sorts[i] = g.build(x, v)
	}
	switch name {
	case "Array":
		return a.Array(sorts[0], sorts[1])
	case "Seq":
		return a.Seq(sorts[0])
	case "Set":
		return a.Set(sorts[0])
	}
	return a.Bag(sorts[0])
}
