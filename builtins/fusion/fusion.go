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
variables by such a function. @std//fusion.star is the technique, @std//fusion/table.star the table of operators.`,
		Types: []*registry.Type{operatorType, tableType, functionType, nodeType, jointType},
		Members: append([]registry.Builtin{
			{Name: "operator", Doc: `An operator or a compound expression with its inverses. Functions are called with terms over the arguments, once for
each choice of numbers, and must give the same term each time. Sorts are sorts, or texts with letters: small ones for numbers, capital
ones for sorts, as in "BV(m)", "BV(m+n)", "FP(e,s)", "Array(A,B)", "Seq(A)", "A"; "Data(A,B)" is any datatype with a constructor of two
fields, of these sorts (fusion.data). An operator is refused by tables until smtlark fusion check
proved its inverses, unless it says proven = True.`,
				Params: []registry.Param{
					{Name: "name", Type: "str", Doc: "theory and name, as in \"real.add\""},
					{Name: "*"},
					{Name: "sorts", Type: "list | tuple", Doc: "the sorts of the arguments"},
					{Name: "result", Type: "sort | str", Doc: "the sort of the result"},
					{Name: "apply", Type: "callable", Doc: "a function of the arguments, then of the indices as ints, that returns a term"},
					{Name: "inverse", Type: "list | tuple", Doc: "for each argument a function of the result, the arguments and the indices that computes the argument; None: there is none, and no input may be in that argument"},
					{Name: "index", Type: "dict[str, str]", Default: "{}", Doc: "numbers that no sort determines, with their range, as {\"k\": \"0..m-1\"}"},
					{Name: "theory", Type: "str | None", Default: "None", Doc: "None: the sort of the result"},
					{Name: "weight", Type: "int", Default: "2", Doc: "how often it is chosen, from 1 to 16"},
					{Name: "assumed", Type: "bool", Default: "False", Doc: "the inverses use functions (smt.apply) that are declared anew wherever the operator is used, and that they are inverses is asserted"},
					{Name: "proven", Type: "bool", Default: "False", Doc: "use it although no proof is on record"},
				},
				Ret: "fusion_operator", Example: exampleOps + "add  # -> <operator int.add: Int Int -> Int>", Do: registry.Into(newOperator)},
			{Name: "data", Doc: "In the functions of an operator one of whose sorts is a datatype, as Data(A,B): its constructor, applied to the fields.",
				Params: []registry.Param{{Name: "fields", Type: "list | tuple"}}, Ret: "term",
				Example: exampleData + "pair.signature  # -> \"A B -> Data(A,B)\"", Do: registry.Into(dataFn)},
			{Name: "field", Doc: "In the functions of an operator one of whose sorts is a datatype: field i of a term of that sort, from 0. For a term of another constructor its value is undefined: see fusion.is_data.",
				Params: []registry.Param{{Name: "term", Type: "term"}, {Name: "i", Type: "count"}}, Ret: "term",
				Example: exampleData + "fusion.table([pair])  # -> <table of 1 operator>", Do: registry.Into(fieldFn)},
			{Name: "is_data", Doc: "In the functions of an operator one of whose sorts is a datatype: whether a term of that sort is of the constructor.",
				Params: []registry.Param{{Name: "term", Type: "term"}}, Ret: "term", Example: `first = fusion.operator("data.first", sorts = ["Data(A)", "A"], result = "A", proven = True,
    apply = lambda x, y: smt.ite(fusion.is_data(x), fusion.field(x, 0), y),
    inverse = [lambda z, x, y: smt.ite(fusion.is_data(x), fusion.data([z]), x), lambda z, x, y: smt.ite(fusion.is_data(x), y, z)])
fusion.table([first])  # -> <table of 1 operator>`, Do: registry.Into(isDataFn)},
			{Name: "table", Doc: "A table of operators to generate functions from. Operators whose inverses are not proven are refused.",
				Params: []registry.Param{{Name: "operators", Type: "iterable", Doc: "operators, or lists of them"}},
				Ret:    "fusion_table", Example: exampleOps + "fusion.table([add])  # -> <table of 1 operator>", Do: registry.Into(newTable)},
			{Name: "join", Doc: "Joins cases in one script: declarations of the others are renamed if the first has the same name. The assertions at the last check-sat are used, unless checks or keep say otherwise.",
				Params: []registry.Param{
					{Name: "cases", Type: "list | tuple", Doc: "the cases; their status may be known or not"},
					{Name: "models", Type: "list | tuple | None", Default: "None", Doc: "for each case a model of it, or None"},
					{Name: "assume", Type: answerOf, Default: "None", Doc: "the status of cases that have none"},
					{Name: "*"},
					{Name: "keep", Type: "bool", Default: "False", Doc: "the fused case keeps the check-sats of the first case, between pushes and pops, with the same answers; models are not used then"},
					{Name: "checks", Type: "list | tuple | None", Default: "None", Doc: "for each case the number of the check-sat that counts, from 0, or None for the last; a model is one of the last"},
				},
				Ret: "joint", Example: exampleJoint + "j  # -> <joint of 2 scripts, 0 functions>", Do: registry.Into(join)},
			{Name: "pick", Doc: "A list of n seeds to be fused. The first is any of those that fit; the others have its logic, or any.",
				Params: []registry.Param{
					{Name: "seeds", Type: "corpus"}, {Name: "rng", Type: "rng"}, {Name: "n", Type: "int", Default: "2"}, {Name: "*"},
					{Name: "status", Type: answerOf, Default: "None", Doc: "that of every seed"},
					{Name: "same_logic", Type: "probability", Default: "0.8", Doc: "probability that all seeds have one logic"},
					{Name: "assume", Type: "bool", Default: "False", Doc: "take seeds of unknown status too"},
				},
				Ret:     "list[case]",
				Example: "a, b = fusion.pick(corpus.bundled(), rng(1), 2, status = \"unsat\")\na.status + b.status  # -> \"unsatunsat\"", Do: registry.Into(pick)},
			{Name: "read", Doc: "Functions from YinYang's configuration format, in which each is a block from #begin to #end.",
				Params: []registry.Param{{Name: "text", Type: "str", Doc: "the text, or the name of a file"}},
				Ret:    "list[fusion_function]", Example: `text = "#begin\n(declare-const x Int)(declare-const y Int)(declare-const z Int)\n(assert (= z (+ x y)))(assert (= x (- z y)))(assert (= y (- z x)))\n#end"
fusion.read(text)[0].inverses  # -> ((- z y), (- z x))`, Do: registry.Into(read)},
		}, composition()...),
	}
}

// answerOf is the type expression of parameters that take a status.
const answerOf = `"sat" | "unsat" | None`

const exampleJoint = `a = smt.case("(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (> x 1))(check-sat)")
b = smt.case("(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (< x 0))(check-sat)")
j = fusion.join([a, b])
`

// CollectorKey is the slot for the operators that a thread makes; smtlark fusion check fills it.
var CollectorKey = registry.NewKey[*Collector]("the list of operators", "nothing collects them")

// Collector collects the operators that files make.
type Collector struct{ Operators []*Operator }

func collect(th *starlark.Thread, o *Operator) {
	if c, err := CollectorKey.Get(th); err == nil {
		c.Operators = append(c.Operators, o)
	}
}
