// Package fusion is the Starlark module fusion: operators with inverses, tables that generate fusion functions, and
// scripts joined by them.
package fusion

import (
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

const exampleOps = `add = fusion.operator("int.add", sorts = [smt.Int, smt.Int], result = smt.Int, proven = True,
    apply = lambda x, y: x + y, inverse = [lambda z, x, y: z - y, lambda z, x, y: z - x])
`

const exampleData = `pair = fusion.operator("data.pair", sorts = ["A", "B"], result = "Data(A,B)", proven = True,
    apply = lambda x, y: fusion.data([x, y]), inverse = [lambda z, x, y: fusion.field(z, 0), lambda z, x, y: fusion.field(z, 1)])
`

// Module returns the module and its types.
func Module() registry.Module {
	return registry.Module{
		Name: "fusion",
		Doc: `Semantic fusion: operators that are defined with their inverses, functions generated from them, and scripts that share
variables by such a function. @std//fusion.star has the technique, @std//fusion/table.star the table of operators.`,
		Types: []*registry.Type{operatorType, tableType, functionType, nodeType, jointType},
		Members: append([]registry.Builtin{
			{Name: "operator", Doc: `An operator or a compound expression with its inverses. Functions are called with terms over the arguments, once for
each choice of numbers, and must return the same term each time. A sort is a sort value, or a text with letters: lower-case letters for numbers, upper-case
ones for sorts, as in "BV(m)", "BV(m+n)", "FP(e,s)", "Array(A,B)", "Seq(A)", "A"; "Data(A,B)" is any datatype with a constructor of two
fields, of these sorts (fusion.data). Tables refuse an operator until smtlark fusion check has
proved its inverses, unless the operator is defined with proven = True.`,
				Ret: "fusion_operator", Example: exampleOps + "add  # -> <operator int.add: Int Int -> Int>", Do: registry.Into(newOperator)},
			{Name: "data", Doc: "For functions of an operator that has a datatype sort such as Data(A,B): the datatype's constructor, applied to the fields.",
				Ret:     "term",
				Example: exampleData + "pair.signature  # -> \"A B -> Data(A,B)\"", Do: registry.Into(dataFn)},
			{Name: "field", Doc: "For functions of an operator that has a datatype sort: field i (from 0) of a term of that sort. If the term has another constructor, the field's value is undefined: see fusion.is_data.",
				Ret:     "term",
				Example: exampleData + "fusion.table([pair])  # -> <table of 1 operator>", Do: registry.Into(fieldFn)},
			{Name: "is_data", Doc: "For functions of an operator that has a datatype sort: whether a term of that sort has the constructor.",
				Ret: "term", Example: `first = fusion.operator("data.first", sorts = ["Data(A)", "A"], result = "A", proven = True,
    apply = lambda x, y: smt.ite(fusion.is_data(x), fusion.field(x, 0), y),
    inverse = [lambda z, x, y: smt.ite(fusion.is_data(x), fusion.data([z]), x), lambda z, x, y: smt.ite(fusion.is_data(x), y, z)])
fusion.table([first])  # -> <table of 1 operator>`, Do: registry.Into(isDataFn)},
			{Name: "table", Doc: "A table of operators from which functions are generated. Operators with unproven inverses are refused.",
				Ret: "fusion_table", Example: exampleOps + "fusion.table([add])  # -> <table of 1 operator>", Do: registry.Into(newTable)},
			{Name: "join", Doc: "Joins cases in one script. If a later case declares a name that the first case has, its declaration is renamed. The assertions at the last check-sat are used, unless checks or keep say otherwise.",
				Ret: "joint", Example: exampleJoint + "j  # -> <joint of 2 scripts, 0 functions>", Do: registry.Into(join)},
			{Name: "pick", Doc: "A list of n seeds to fuse. The first is any seed that fits; the others have its logic, or any logic.",
				Ret:     "list[case]",
				Example: "a, b = fusion.pick(corpus.bundled(), rng(1), 2, status = \"unsat\")\na.status + b.status  # -> \"unsatunsat\"", Do: registry.Into(pick)},
			{Name: "read", Doc: "Reads functions in YinYang's configuration format: each function is a block from #begin to #end.",
				Ret: "list[fusion_function]", Example: `text = "#begin\n(declare-const x Int)(declare-const y Int)(declare-const z Int)\n(assert (= z (+ x y)))(assert (= x (- z y)))(assert (= y (- z x)))\n#end"
fusion.read(text)[0].inverses  # -> ((- z y), (- z x))`, Do: registry.Into(read)},
		}, composition()...),
	}
}

const exampleJoint = `a = smt.case("(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (> x 1))(check-sat)")
b = smt.case("(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (< x 0))(check-sat)")
j = fusion.join([a, b])
`

// CollectorKey is the slot for the operators that a thread makes; smtlark fusion check fills it.
var CollectorKey = registry.NewKey[*OperatorCollector]("the list of operators", "nothing collects them")

// OperatorCollector collects the operators that files make.
type OperatorCollector struct{ Operators []*OperatorValue }

func collect(th *starlark.Thread, o *OperatorValue) {
	if c, err := CollectorKey.Get(th); err == nil {
		c.Operators = append(c.Operators, o)
	}
}
