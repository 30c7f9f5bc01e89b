package eval

import (
	"math/big"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// collections computes cvc5's operators over tuples, nullables, and finite sets and bags that apply functions or know
// columns: its relations are sets of tuples, its tables bags of tuples. The operator table lacks them, so they are
// opaque applications (smt.Arena.Opaque).
type collections struct{ *Evaluator }

// item is an element of a set or a bag and how often it is in there.
type item struct {
	x value.Value
	n *big.Int
}

// apply computes an operator that fits the sorts of its arguments; ok is false where it is none of these.
func (e collections) apply(t smt.Term, head string, indices []smt.Index, args []value.Value) (v value.Value, ok bool) {
	sort := e.a.Sort(t)
	idx := make([]uint64, len(indices))
	for i, x := range indices {
		idx[i], _ = e.a.IndexUint(x)
	}
	group, operator, _ := strings.Cut(head, ".")
	switch group {
	case "tuple":
		return e.tuple(sort, operator, idx, args)
	case "nullable":
		return e.nullable(sort, operator, args)
	case "set", "bag", "rel", "table":
	default:
		return v, false
	}
	if operator == "join_image" {
		return e.joinImage(sort, head, args), true
	}
	if len(args) == 0 || args[len(args)-1].Kind() != value.KindTable {
		return v, false
	}
	items, err := e.items(args[len(args)-1])
	if err != nil {
		return value.NoValueFor(err), true
	}
	switch operator {
	case "map", "filter", "all", "some":
		return e.applyEach(sort, operator, args[0], items), true
	case "partition":
		return e.partition(sort, head, args[0], items), true
	case "fold":
		return e.fold(head, args[0], args[1], items), true
	case "aggr", "group":
		var out []item
		for _, part := range e.groups(idx, items) {
			v := value.Value{}
			if operator == "aggr" {
				v = e.fold(head, args[0], args[1], part)
			} else {
				v = e.collect(e.a.SortArgs(sort)[0], part)
			}
			out = append(out, item{v, value.BigOne})
		}
		return e.collect(sort, out), true
	case "tclosure":
		return e.closure(sort, items), true
	case "project", "transpose", "iden":
		return e.eachRow(sort, operator, idx, items), true
	case "product", "join", "table_join":
		left, err := e.items(args[0])
		if err != nil {
			return value.NoValueFor(err), true
		}
		return e.joinRows(sort, head, idx, left, items), true
	}
	return v, false
}

func (e collections) tuple(sort smt.Sort, operator string, idx []uint64, args []value.Value) (v value.Value, ok bool) {
	switch operator {
	case "", "unit":
		return value.Data(sort, 0, slices.Clone(args)...), true
	case "project":
		return value.Data(sort, 0, places(idx, args[0])...), true
	case "select":
		return args[0].Fields()[idx[0]], true
	case "update":
		fields := slices.Clone(args[0].Fields())
		fields[idx[0]] = args[1]
		return value.Data(sort, 0, fields...), true
	}
	return v, false
}

// places returns some of the elements of a tuple.
func places(idx []uint64, tuple value.Value) []value.Value {
	out := make([]value.Value, len(idx))
	for i, p := range idx {
		out[i] = tuple.Fields()[p]
	}
	return out
}

func (e collections) nullable(sort smt.Sort, operator string, args []value.Value) (v value.Value, ok bool) {
	isNull := func(v value.Value) bool { return v.Constructor() == 0 }
	switch operator {
	case "null":
		return value.Null(sort), e.a.SortKind(sort) == smt.KindNullable
	case "some":
		return value.NonNull(sort, args[0]), true
	case "is_null", "is_some":
		return value.Bool(isNull(args[0]) == (operator == "is_null")), true
	case "val":
		if isNull(args[0]) {
			return value.NoValue("nullable.val", "null has no element"), true
		}
		return args[0].Fields()[0], true
	case "lift":
		f := args[0]
		for _, x := range args[1:] {
			if isNull(x) {
				return value.Null(sort), true
			}
		}
		for _, x := range args[1:] {
			if f = e.call(f, x.Fields()[0]); !f.IsValue() {
				return f, true
			}
		}
		return value.NonNull(sort, f), true
	}
	return v, false
}

// call applies a function to arguments.
func (e collections) call(f value.Value, args ...value.Value) value.Value {
	for _, x := range args {
		if !f.IsValue() {
			return f
		}
		if e.charge(smt.OpOpaque, 1); e.aborted != nil {
			return value.NoValueFor(e.aborted)
		}
		f = functionValues(e).applyArray(f, x)
	}
	return f
}

// items lists the elements of a set or a bag, in the order of values.
func (e collections) items(v value.Value) ([]item, *value.Reason) {
	t := v.AsTable()
	if t.Default().IsTrue() {
		return nil, &value.Reason{Op: "set", Why: "the set is the complement of a finite one"}
	}
	entries := t.Sorted()
	if e.charge(smt.OpOpaque, int64(len(entries))); e.aborted != nil {
		return nil, e.aborted
	}
	out := make([]item, len(entries))
	for i, x := range entries {
		out[i] = item{x.Key, value.BigOne}
		if x.Value.Kind() != value.KindBool {
			out[i].n = x.Value.BigInt()
		}
	}
	return out, nil
}

// collect makes a set or a bag of items.
func (e collections) collect(sort smt.Sort, items []item) value.Value {
	kind := e.a.SortKind(sort)
	empty := value.Bool(false)
	if kind == smt.KindBag {
		empty = value.Int64(0)
	}
	out := value.NewTable(e.domains.Of(e.a.SortArgs(sort)[0]), empty)
	for _, x := range items {
		if e.charge(smt.OpOpaque, 1); e.aborted != nil {
			return value.NoValueFor(e.aborted)
		}
		switch {
		case !x.x.IsValue():
			return x.x
		case !x.x.Comparable():
			return value.NoValue(kind.String(), "the elements are or contain values that cannot always be compared")
		case kind == smt.KindSet:
			out = out.Put(x.x, value.Bool(true))
		default:
			out = out.Put(x.x, value.Int(new(big.Int).Add(out.Get(x.x).BigInt(), x.n)))
		}
	}
	return value.OfTable(sort, out)
}

// applyEach applies a function to each element: map, filter, all, some.
func (e collections) applyEach(sort smt.Sort, operator string, f value.Value, items []item) value.Value {
	var out []item
	unknown := value.Value{}
	for _, x := range items {
		y := e.call(f, x.x)
		switch {
		case operator == "map":
			out = append(out, item{y, x.n})
		case !y.IsValue():
			unknown = y
		case operator == "filter" && y.IsTrue():
			out = append(out, x)
		case operator == "all" && y.IsFalse(), operator == "some" && y.IsTrue():
			return y
		}
	}
	switch {
	case unknown.Kind() != value.KindNone:
		return unknown
	case operator == "all", operator == "some":
		return value.Bool(operator == "all")
	}
	return e.collect(sort, out)
}

// partition parts a bag by an equivalence. For any other relation cvc5 says nothing of the parts.
func (e collections) partition(sort smt.Sort, head string, f value.Value, items []item) value.Value {
	related := make([][]bool, len(items))
	for i := range items {
		related[i] = make([]bool, len(items))
		for j := range items {
			v := e.call(f, items[i].x, items[j].x)
			if !v.IsValue() {
				return v
			}
			related[i][j] = v.IsTrue()
		}
	}
	for i := range items {
		for j := range items {
			if related[i][i] && (!related[i][j] || slices.Equal(related[i], related[j])) {
				continue
			}
			return value.NoValue(head, "the function is no equivalence of the elements")
		}
	}
	var out []item
	for i := range items {
		if slices.Index(related[i], true) < i {
			continue
		}
		var part []item
		for j := range items {
			if related[i][j] {
				part = append(part, items[j])
			}
		}
		out = append(out, item{e.collect(e.a.SortArgs(sort)[0], part), value.BigOne})
	}
	return e.collect(sort, out)
}

// maxFolded bounds how many elements are folded: each order is tried, by subsets.
const maxFolded = 10

// fold combines elements one by one. Which comes first is the solver's choice, so that the value is known only where
// the order does not matter.
func (e collections) fold(head string, f, initial value.Value, items []item) value.Value {
	var units []value.Value
	for _, x := range items {
		if !x.n.IsInt64() || int64(len(units))+x.n.Int64() > maxFolded {
			return value.TooLarge(head, "more than 10 elements in any order")
		}
		for range x.n.Int64() {
			units = append(units, x.x)
		}
	}
	folded := make([]value.Value, 1<<len(units)) // by the set of units that are folded
	folded[0] = initial
	for set := 1; set < len(folded); set++ {
		for i := range units {
			if set>>i&1 == 0 {
				continue
			}
			v := e.call(f, units[i], folded[set&^(1<<i)])
			switch {
			case !v.IsValue():
				return v
			case folded[set].Kind() == value.KindNone:
				folded[set] = v
			case value.Equal(folded[set], v) != value.True:
				return value.NoValue(head, "the value depends on the order of the elements")
			}
		}
	}
	return folded[len(folded)-1]
}

// groups partitions rows by their values in some columns. No rows give one empty group.
func (e collections) groups(idx []uint64, items []item) [][]item {
	at := value.Map{}
	var parts [][]item
	for _, x := range items {
		key := value.Data(smt.SortUnknown, 0, places(idx, x.x)...)
		n := len(parts)
		if known, ok := at.Get(key); ok {
			n = int(known.Small())
		} else {
			at = at.Set(key, value.Int64(int64(n)))
			parts = append(parts, nil)
		}
		parts[n] = append(parts[n], x)
	}
	if parts == nil {
		parts = [][]item{nil}
	}
	return parts
}

// eachRow changes the columns of each row.
func (e collections) eachRow(sort smt.Sort, operator string, idx []uint64, items []item) value.Value {
	row := e.a.SortArgs(sort)[0]
	out := make([]item, len(items))
	for i, x := range items {
		fields := slices.Clone(x.x.Fields())
		switch operator {
		case "transpose":
			slices.Reverse(fields)
		case "iden":
			fields = append(fields, fields...)
		default:
			fields = places(idx, x.x)
		}
		out[i] = item{value.Data(row, 0, fields...), x.n}
	}
	return e.collect(sort, out)
}

// closure computes the transitive closure of a binary relation.
func (e collections) closure(sort smt.Sort, items []item) value.Value {
	row := e.a.SortArgs(sort)[0]
	starts := value.Map{} // to the number of its list in follow
	follow := e.groups([]uint64{0}, items)
	for n, part := range follow {
		if len(part) > 0 {
			starts = starts.Set(part[0].x.Fields()[0], value.Int64(int64(n)))
		}
	}
	var out []item
	for _, part := range follow {
		seen, todo := value.Map{}, slices.Clone(part)
		for len(todo) > 0 {
			to := todo[len(todo)-1].x.Fields()[1]
			todo = todo[:len(todo)-1]
			if _, done := seen.Get(to); done {
				continue
			}
			if e.charge(smt.OpOpaque, 1); e.aborted != nil {
				return value.NoValueFor(e.aborted)
			}
			seen = seen.Set(to, value.Bool(true))
			out = append(out, item{value.Data(row, 0, part[0].x.Fields()[0], to), value.BigOne})
			if n, ok := starts.Get(to); ok {
				todo = append(todo, follow[n.Small()]...)
			}
		}
	}
	return e.collect(sort, out)
}

// joinRows puts rows of two relations or tables together: all of them, those with the same values in pairs of columns,
// or, for rel.join, those where the last column of one is the first of the other, which then goes.
func (e collections) joinRows(sort smt.Sort, head string, idx []uint64, left, right []item) value.Value {
	row := e.a.SortArgs(sort)[0]
	var out []item
	for _, x := range left {
		for _, y := range right {
			if e.charge(smt.OpOpaque, 1); e.aborted != nil {
				return value.NoValueFor(e.aborted)
			}
			a, b, same := x.x.Fields(), y.x.Fields(), value.True
			if head == "rel.join" {
				same = value.Equal(a[len(a)-1], b[0])
				a, b = a[:len(a)-1], b[1:]
			}
			for i := 0; i < len(idx); i += 2 {
				if v := value.Equal(a[idx[i]], b[idx[i+1]]); v == value.False || same == value.True {
					same = v
				}
			}
			switch same {
			case value.Unknown:
				return value.NoValue(head, "columns that cannot be compared")
			case value.True:
				out = append(out, item{value.Data(row, 0, slices.Concat(a, b)...), new(big.Int).Mul(x.n, y.n)})
			}
		}
	}
	return e.collect(sort, out)
}

// joinImage is (rel.join_image R n): the elements that are related to at least n elements. For n = 0 the answers of
// cvc5 1.3.2 contradict one another.
func (e collections) joinImage(sort smt.Sort, head string, args []value.Value) value.Value {
	n := args[1].BigInt()
	if n.Sign() <= 0 {
		return value.NoValue(head, "a number below one")
	}
	items, err := e.items(args[0])
	if err != nil {
		return value.NoValueFor(err)
	}
	var out []item
	for _, part := range e.groups([]uint64{0}, items) {
		if n.Cmp(big.NewInt(int64(len(part)))) <= 0 {
			out = append(out, item{value.Data(e.a.SortArgs(sort)[0], 0, part[0].x.Fields()[0]), value.BigOne})
		}
	}
	return e.collect(sort, out)
}
