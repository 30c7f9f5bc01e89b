package fusion_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestMessages: what an author reads of operators, functions and joint scripts.
func TestMessages(t *testing.T) {
	scripttest.Messages(t, `c = smt.case("(set-logic QF_LIA)(declare-const x Int)(declare-fun f (Int) Int)(assert (> x 1))(assert (or (< x 9) (= (f x) 2)))(check-sat)")
x = smt.const("x", smt.Int)
y = smt.const("y", smt.Int)
b = smt.const("b", smt.BitVec(8))
r = rng(1)
seeds = corpus.texts(["(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)"])`, []scripttest.Message{
		{`fusion.operator()`, `fusion.operator: missing argument for name; usage: fusion.operator(name, *, sorts, result, apply, inverse, index = {}, theory = None, weight = 2,`},
		{`fusion.operator("x", sorts = [], result = "Int", apply = lambda: 1, inverse = [])`, `fusion.operator: operator x: takes 1 to 6 arguments, given 0`},
		{`fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: a + b, inverse = [lambda z, a, b: z - b])`, `fusion.operator: for parameter inverse: there are 1 inverses for 2 arguments`},
		{`fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: a + b, inverse = 1)`, `fusion.operator: for parameter inverse: got int 1, want list or tuple`},
		{`fusion.operator("a.x", sorts = ["Itn", "Int"], result = "Int", apply = lambda a, b: a + b, inverse = [lambda z, a, b: z - b, lambda z, a, b: z - a])`, `fusion.operator: for parameter sorts: element 0: sort "Itn": there is no sort "Itn" (want a sort as in Int, BV(m), FP(e,s), Array(A,B), Seq(A) or A)`},
		{`fusion.operator("a.x", sorts = ["Int", "Int"], result = "BV(m", apply = lambda a, b: a + b, inverse = [lambda z, a, b: z - b, lambda z, a, b: z - a])`, `fusion.operator: for parameter result: sort "BV(m": a bracket is missing (want a sort as in Int, BV(m), FP(e,s), Array(A,B), Seq(A) or A)`},
		{`fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a: a, inverse = [lambda z, a, b: z - b, lambda z, a, b: z - a])`, `fusion.operator: for parameter apply: lambda takes (a), want a function of (x1, x2)`},
		{`fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: a + b, inverse = [lambda z, a: z, lambda z, a, b: z - a])`, `fusion.operator: for parameter inverse: element 0: lambda takes (z, a), want a function of (z, x1, x2)`},
		{`fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: a + b, inverse = [lambda z, a, b: z - b, lambda z, a, b: z - a], weight = -1)`, `fusion.operator: for parameter weight: -1 is not between 1 and 16`},
		{`fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: a + b, inverse = [lambda z, a, b: z - b, lambda z, a, b: z - a], index = {"k": "x"})`, `fusion.operator: for parameter apply: lambda takes (a, b), want a function of (x1, x2, k)`},
		{`fusion.operator("", sorts = ["Int"], result = "Int", apply = lambda a: a, inverse = [lambda z, a: z])`, `fusion.operator: the operator has no name: want one such as "int.add"`},
		{`fusion.operator("a.x", sorts = 1, result = "Int", apply = lambda a: a, inverse = [lambda z, a: z])`, `fusion.operator: for parameter sorts: got int 1, want list or tuple`},
		{`fusion.operator("a.x", sorts = [1], result = "Int", apply = lambda a: a, inverse = [lambda z, a: z])`, `fusion.operator: for parameter sorts: element 0: got int, want a sort or a text such as "BV(m)"`},
		{`fusion.data(1)`, `fusion.data: for parameter fields: got int 1, want list or tuple`},
		{`fusion.data([])`, `fusion.data: for parameter fields: want a list of the fields, among them terms that the function of the operator is given`},
		{`fusion.data([1])`, `fusion.data: for parameter fields: want a list of the fields, among them terms that the function of the operator is given`},
		{`fusion.field(x, 0)`, `fusion.field: no sort of the operator is a datatype, as Data(A,B)`},
		{`fusion.field(1, 0)`, `fusion.field: for parameter term: got int 1, want term`},
		{`fusion.field(fusion.data([x, y]), 2)`, `fusion.data: no sort of the operator is a datatype, as Data(A,B)`},
		{`fusion.is_data(1)`, `fusion.is_data: for parameter term: got int 1, want term`},
		{`fusion.is_data(x)`, `fusion.is_data: no sort of the operator is a datatype, as Data(A,B)`},
		{`fusion.table(1)`, `fusion.table: for parameter operators: got int 1, want an iterable, such as a list`},
		{`fusion.table([1])`, `fusion.table: for parameter operators: element 0: got int, want an operator`},
		{`fusion.table([])`, `fusion.table: a table without operators that have inverses generates nothing`},
		{`fusion.join(1)`, `fusion.join: for parameter cases: got int 1, want list or tuple`},
		{`fusion.join([])`, `fusion.join: for parameter cases: want at least one case`},
		{`fusion.join([c, 1])`, `fusion.join: for parameter cases: element 1: got int, want a case`},
		{`fusion.join([c, c], [1])`, `fusion.join: for parameter models: there are 1 models for 2 cases`},
		{`fusion.join([c, c], [None])`, `fusion.join: for parameter models: there are 1 models for 2 cases`},
		{`fusion.join([c, c], assume = ["x"])`, `fusion.join: for parameter assume: got list, want "sat", "unsat" or None`},
		{`fusion.join([c, c], assume = ["sat"])`, `fusion.join: for parameter assume: got list, want "sat", "unsat" or None`},
		{`fusion.join([c, c], checks = 0)`, `fusion.join: for parameter checks: got int 0, want list, tuple or None`},
		{`fusion.pick(1, r)`, `fusion.pick: for parameter seeds: got int 1, want corpus`},
		{`fusion.pick(seeds, 1)`, `fusion.pick: for parameter rng: got int 1, want rng`},
		{`fusion.pick(seeds, r, 0)`, `fusion.pick: for parameter n: 0 is not between 1 and 64`},
		{`fusion.pick(seeds, r, status = "maybe")`, `fusion.pick: for parameter status: got "maybe", want "sat", "unsat" or None`},
		{`fusion.pick(seeds, r, same_logic = 2)`, `fusion.pick: for parameter same_logic: 2 is not between 0 and 1`},
		{`fusion.pick(seeds, r, same_logic = "x")`, `fusion.pick: for parameter same_logic: got string "x", want a probability (0 to 1)`},
		{`fusion.pick(corpus.texts([]), r)`, `skip: fusion: there are no seeds of any status`},
		{`fusion.read(1)`, `fusion.read: for parameter text: got int 1, want str`},
		{`fusion.read("")`, `fusion.read: a file name is empty`},
		{`fusion.read("(a b)")`, `fusion.read: no such file: (a b)`},
		{`fusion.read("(")`, `fusion.read: no such file: (`},
		{`fusion.function([], 1)`, `fusion.function: for parameter apply: got int 1, want callable, term or fusion_node`},
		{`fusion.function([x, 1], lambda a, b: a)`, `fusion.function: for parameter inputs: element 1: got int, want a constant`},
		{`fusion.function([x, x], lambda a, b: a + b, lambda i, z, v: z)`, `fusion.function: for parameter inputs: element 1: x is no constant, or there twice`},
		{`fusion.function([x, y], lambda a: a)`, `function lambda accepts 1 positional argument (2 given)`},
		{`fusion.function([x, y], lambda a, b: a + b)`, `fusion.function: for parameter inverse: there are 0 inverses for 2 inputs`},
		{`fusion.function([x, y], lambda a, b: 1, lambda i, z, v: z)`, `fusion.function: for parameter apply: it returned int, want a term or a node`},
		{`fusion.function([x, y], lambda a, b: a + b, lambda i, z, v: b)`, `fusion.function: for parameter inverse: inverse 1: got b of sort (_ BitVec 8), want sort Int`},
		{`fusion.function([x, y], lambda a, b: a + b, lambda i, z, v: z)`, `fusion.function: for parameter inverse: inverse 1 is wrong: it does not give x back where x = 4294967296, y = 7`},
		{`fusion.function([x, y], lambda a, b: a + b, lambda i, z: z)`, `function lambda accepts 2 positional arguments (3 given)`},
		{`fusion.function([x, y], lambda a, b: a + b, 1)`, `fusion.function: for parameter inverse: got int 1, want callable, list, tuple or None`},
		{`fusion.function([x, y], lambda a, b: a + b, lambda i, z, v: z - v[1 - i], by = 1)`, `fusion.function: for parameter by: got int 1, want solver or None`},
		{`fusion.function([smt.int(1), y], lambda a, b: a + b, lambda i, z, v: z - v[1 - i])`, `fusion.function: for parameter inputs: element 0: 1 is no constant, or there twice`},
		{`fusion.function([x, y], fusion.node(1, []))`, `fusion.node: for parameter operator: got int 1, want fusion_operator`},
		{`fusion.node("x", [])`, `fusion.node: for parameter operator: got string "x", want fusion_operator`},
		{`fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: a + b, inverse = [None, 1])`, `fusion.operator: for parameter inverse: element 1: got int, want a function or None`},
		{`fusion.table([fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: a + b, inverse = [lambda z, a, b: z - b, lambda z, a, b: z - a])])`, `fusion.table: operator a.x`},
		{`fusion.table([fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: 1, inverse = [lambda z, a, b: z - b, lambda z, a, b: z - a], proven = True)])`, `fusion.table: operator a.x: inverse 1 is wrong: it does not give the argument back where x1 = 0, x2 = 0`},
		{`fusion.table([fusion.operator("a.x", sorts = ["Int", "Int"], result = "Int", apply = lambda a, b: b, inverse = [lambda z, a, b: b > 1, lambda z, a, b: z - a], proven = True)])`, `operator a.x: inverse 1: term > int not implemented`},
		{`fusion.join([c]).fuse(1, r)`, `joint.fuse: for parameter table: got int 1, want fusion_table, list, a function of (rng, list) or None`},
		{`fusion.join([c]).fuse([1], r)`, `joint.fuse: for parameter table: got a list of int, want functions`},
		{`fusion.join([c]).fuse([], r, 0)`, `joint.fuse: for parameter inputs: 0 is not between 1 and 64`},
		{`fusion.join([c]).fuse([], r, same_sort = 2)`, `joint.fuse: for parameter same_sort: 2 is not between 0 and 1`},
		{`fusion.join([c]).case(1)`, `joint.case: for parameter rng: got int 1, want rng`},
		{`fusion.join([c]).case(r, "maybe")`, `joint.case: for parameter answer: got "maybe", want "sat", "unsat" or None`},
		{`fusion.join([c]).case(r, replaced = -1)`, `joint.case: for parameter replaced: -1 is not between 0 and 1`},
		{`fusion.join([c]).case(r, repalced = 1)`, `joint.case: unexpected keyword argument 'repalced' (did you mean 'replaced'?)`},
	})
}
