package fusion

import (
	"fmt"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/template"
	"math/big"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// OperatorValue is an operator in a script.
type OperatorValue struct {
	registry.Object[*OperatorValue]

	Op      *operator.Operator
	Where   string // the place of its definition
	apply   starlark.Callable
	inverse []starlark.Value
}

func (o *OperatorValue) String() string {
	return fmt.Sprintf("<operator %s: %s>", o.Op.Name, o.Op.Signature())
}

// Freeze implements starlark.Value.
func (o *OperatorValue) Freeze() {
	o.apply.Freeze()
	for _, f := range o.inverse {
		f.Freeze()
	}
}

// Hash implements starlark.Value.
func (o *OperatorValue) Hash() (uint32, error) { return starlark.String(o.Op.Name).Hash() }

// Attr implements starlark.HasAttrs.
func (o *OperatorValue) Attr(name string) (starlark.Value, error) { return operatorType.Attr(o, name) }

var operatorType = registry.NewType[*OperatorValue]("fusion_operator", "An operator for fusion functions; see fusion.operator.", []registry.Builtin{
	{Name: "name", Doc: "Its name.", Ret: "str", Example: exampleOps + "add.name  # -> \"int.add\"",
		Get: func(v starlark.Value) (starlark.Value, error) {
			return starlark.String(v.(*OperatorValue).Op.Name), nil
		}},
	{Name: "theory", Doc: "Its theory.", Ret: "str", Example: exampleOps + "add.theory  # -> \"Int\"",
		Get: func(v starlark.Value) (starlark.Value, error) {
			return starlark.String(v.(*OperatorValue).Op.Theory), nil
		}},
	{Name: "signature", Doc: "Its sorts.", Ret: "str", Example: exampleOps + "add.signature  # -> \"Int Int -> Int\"",
		Get: func(v starlark.Value) (starlark.Value, error) {
			return starlark.String(v.(*OperatorValue).Op.Signature()), nil
		}},
})

// newOperatorArgs are the arguments of fusion.operator.
type newOperatorArgs struct {
	Name    string `doc:"theory and name, as in \"real.add\""`
	_       registry.KeywordOnly
	Sorts   []starlark.Value  `type:"list | tuple" doc:"the sorts of the arguments"`
	Result  starlark.Value    `type:"sort | str" doc:"the sort of the result"`
	Apply   starlark.Callable `type:"callable" doc:"a function of the arguments, then of the indices as ints, that returns a term"`
	Inverse []starlark.Value  `type:"list | tuple" doc:"for each argument a function of the result, the arguments and the indices that computes the argument; None: the argument has no inverse and must not contain an input"`
	Index   *starlark.Dict    `type:"dict[str, str]" default:"{}" doc:"indices that the sorts do not determine, with their ranges, such as {\"k\": \"0..m-1\"}"`
	Theory  string            `default:"None" doc:"the theory; None: the sort of the result"`
	Weight  int               `default:"2" doc:"the relative frequency of the operator, from 1 to 16"`
	Assumed bool              `default:"False" doc:"the inverses use functions (smt.apply) that are declared again for each use of the operator; the script asserts that they are inverses"`
	Proven  bool              `default:"False" doc:"use the operator although no proof is recorded"`
}

func newOperator(c *registry.Call, a *newOperatorArgs) (starlark.Value, error) {
	o := &OperatorValue{apply: a.Apply, inverse: append([]starlark.Value(nil), a.Inverse...), Op: &operator.Operator{
		Name: a.Name, Theory: a.Theory, Weight: a.Weight, Assumed: a.Assumed, Unproven: a.Proven}}
	for i, v := range a.Sorts {
		p, err := value.SortPattern(v)
		if err != nil {
			return nil, c.Errorf(&a.Sorts, "element %d: %v", i, err)
		}
		o.Op.Args = append(o.Op.Args, p)
	}
	var err error
	if o.Op.Result, err = value.SortPattern(a.Result); err != nil {
		return nil, c.Errorf(&a.Result, "%v", err)
	}
	if len(o.inverse) != len(o.Op.Args) {
		return nil, c.Errorf(&a.Inverse, "there are %d inverses for %d arguments", len(o.inverse), len(o.Op.Args))
	}
	params := make([]string, len(a.Sorts), len(a.Sorts)+a.Index.Len()+1)
	for i := range params {
		params[i] = fmt.Sprintf("x%d", i+1)
	}
	for _, key := range a.Index.Keys() {
		letter, _ := starlark.AsString(key)
		params = append(params, letter)
	}
	// The functions are called with other numbers in each case: functions that do not fit are reported here, where the
	// author sees it.
	if msg := registry.CheckFunction(a.Apply, params...); msg != "" {
		return nil, c.Errorf(&a.Apply, "%s", msg)
	}
	for i, v := range o.inverse {
		f, ok := v.(starlark.Callable)
		if !ok && v != starlark.None {
			return nil, c.Errorf(&a.Inverse, "element %d: got %s, want a function or None", i, v.Type())
		}
		// None says that the argument does not follow from the result.
		if !ok {
			continue
		}
		if msg := registry.CheckFunction(f, append([]string{"z"}, params...)...); msg != "" {
			return nil, c.Errorf(&a.Inverse, "element %d: %s", i, msg)
		}
	}
	for _, kv := range a.Index.Items() {
		letter, _ := starlark.AsString(kv[0])
		text, _ := starlark.AsString(kv[1])
		x, err := template.ParseIndexRange(letter, text)
		if err != nil {
			return nil, c.Errorf(&a.Index, "%v", err)
		}
		o.Op.Index = append(o.Op.Index, x)
	}
	// If the author names no theory, it is that of the result.
	if o.Op.Theory == "" {
		o.Op.Theory, _, _ = strings.Cut(o.Op.Result.String(), "(")
	}
	if w := o.Op.Weight; w < 1 || w > 16 {
		return nil, c.Errorf(&a.Weight, "%d is not between 1 and 16", w)
	}
	if err := o.Op.Check(); err != nil {
		return nil, err
	}
	// Frame 0 is the builtin itself: the operator is defined where that was called.
	o.Where = c.Thread.CallFrame(1).Pos.String()
	o.Op.Make = o.make
	collect(c.Thread, o)
	return o, nil
}

// make calls the functions of the operator; it is an engine.Maker, and the env is the thread.
func (o *OperatorValue) make(env any, a *smt.Arena, args []smt.Sort, result smt.Sort, idx []*big.Int) (*operator.Definition, error) {
	th, ok := env.(*starlark.Thread)
	if !ok {
		return nil, fmt.Errorf("operators of scripts need a thread")
	}
	st := workspace.NewStore(a, "the operator "+o.Op.Name)
	var terms, indices starlark.Tuple
	for i, s := range args {
		terms = append(terms, value.NewTerm(st, a.Const(a.Declare(template.ArgName(i), nil, s))))
	}
	for _, n := range idx {
		indices = append(indices, starlark.MakeBigInt(n))
	}
	d := &operator.Definition{Arena: a}
	var err error
	if d.Apply, err = o.call(th, st, o.apply, append(terms[:len(terms):len(terms)], indices...), result); err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	z := value.NewTerm(st, a.Const(a.Declare(template.ResultName, nil, result)))
	in := append(append(starlark.Tuple{z}, terms...), indices...)
	for i, f := range o.inverse {
		t := smt.Term(0)
		if f != starlark.None {
			if t, err = o.call(th, st, f.(starlark.Callable), in, args[i]); err != nil {
				return nil, fmt.Errorf("inverse %d: %w", i+1, err)
			}
		}
		d.Inverse = append(d.Inverse, t)
	}
	return d, nil
}

func (o *OperatorValue) call(th *starlark.Thread, st *value.TermStore, f starlark.Callable, args starlark.Tuple, want smt.Sort) (smt.Term, error) {
	v, err := registry.Invoke(th, f, args...)
	if err != nil {
		return 0, err
	}
	return value.Lift(st, v, want)
}
