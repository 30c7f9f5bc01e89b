package mutate_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestMessages: what an author reads of pools, mutators and options.
func TestMessages(t *testing.T) {
	scripttest.Messages(t, `c = smt.case("(set-logic QF_LIA)(declare-const x Int)(declare-fun f (Int) Int)(assert (> x 1))(assert (or (< x 9) (= (f x) 2)))(check-sat)")
x = smt.const("x", smt.Int)
p = smt.const("p", smt.Bool)
r = rng(1)
seeds = corpus.texts(["(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)"])
pool = mutate.pool([(p, True)])`, []scripttest.Message{
		{`mutate.pool(1)`, `mutate.pool: for parameter items: got int 1, want an iterable, such as a list`},
		{`mutate.pool([1])`, `mutate.pool: for parameter items: element 0: got int, want a pair of a term and its value`},
		{`mutate.pool([(x, True)])`, `mutate.pool: for parameter items: element 0: x has sort Int, want Bool`},
		{`mutate.pool([(p, 1)])`, `mutate.pool: for parameter items: element 0: its value is int, want True, False or None`},
		{`mutate.pool([(p,)])`, `mutate.pool: for parameter items: element 0: got tuple, want a pair of a term and its value`},
		{`mutate.valued_fragments(1, 2)`, `mutate.valued_fragments: for parameter case: got int 1, want case`},
		{`mutate.valued_fragments(c, 2)`, `mutate.valued_fragments: for parameter model: got int 2, want model`},
		{`mutate.valued_fragments(c, None)`, `mutate.valued_fragments: for parameter model: got None, want model`},
		{`mutate.valued_fragments(c, smt.random_model(c, r), -1)`, `mutate.valued_fragments: for parameter max_depth: -1 is below 0`},
		{`mutate.valued_fragments(c, smt.random_model(c, r), outer = 1)`, `mutate.valued_fragments: for parameter outer: got int 1, want bool`},
		{`mutate.rounds(1)`, `mutate.rounds: for parameter f: got int 1, want a function of (case, rng)`},
		{`mutate.rounds(lambda c: c)`, `mutate.rounds: for parameter f: lambda takes (c), want a function of (case, rng)`},
		{`mutate.rounds(lambda c, r: c, between = (2, 1))`, `mutate.rounds: for parameter between: (2, 1) is no range of numbers from 1 up`},
		{`mutate.rounds(lambda c, r: c, between = (-1, 1))`, `mutate.rounds: for parameter between: (-1, 1) is no range of numbers from 1 up`},
		{`mutate.rounds(lambda c, r: c, between = 3)`, `mutate.rounds: for parameter between: got int 3, want tuple[int, int]`},
		{`mutate.rounds(lambda c, r: c, between = ("a", 1))`, `mutate.rounds: for parameter between: element 0: got string "a", want int`},
		{`mutate.rounds(lambda c, r: 1)(seeds, r)`, `lambda returned int, want a case`},
		{`mutate.rounds(lambda c, r: None)(seeds, r)`, `lambda returned None, want a case; to make no case, say why: return skip("no ite")`},
		{`mutate.rounds(lambda c, r: c)(seeds, 1)`, `mutate.rounds(lambda): got corpus and int, want a corpus and an rng`},
		{`mutate.rounds(lambda c, r: c)(1, r)`, `mutate.rounds(lambda): got int and rng, want a corpus and an rng`},
		{`mutate.classes(1)`, `mutate.classes: for parameter text: got int 1, want str`},
		{`mutate.classes("")`, `mutate.classes: for parameter text: no class of operators; want lines such as bvadd,bvsub,bvmul`},
		{`mutate.classes("(")`, `mutate.classes: for parameter text: line 1, "(": "(" is no operator`},
		{`mutate.classes("nope nope2")`, `mutate.classes: for parameter text: line 1, "nope nope2": "nope nope2" is no operator`},
		{`mutate.signatures(1)`, `mutate.signatures: for parameter text: got int 1, want str`},
		{`mutate.signatures("")`, `mutate.signatures: for parameter text: no signature; want lines such as (bvadd (_ BitVec 8) (_ BitVec 8) (_ BitVec 8))`},
		{`mutate.signatures("(bvadd x")`, `mutate.signatures: for parameter text: line 1, "(bvadd x": reply:1:1: this ( has no )`},
		{`mutate.signatures("nope")`, `mutate.signatures: for parameter text: line 1, "nope": want (name sorts... sort)`},
		{`mutate.operators(1, r)`, `mutate.operators: for parameter case: got int 1, want case`},
		{`mutate.operators(c, 1)`, `mutate.operators: for parameter rng: got int 1, want rng`},
		{`mutate.operators(c, r, -1)`, `mutate.operators: for parameter times: -1 is not between 1 and 100000`},
		{`mutate.operators(c, r, 0)`, `mutate.operators: for parameter times: 0 is not between 1 and 100000`},
		{`mutate.operators(c, r, classes = ["x"])`, `mutate.operators: for parameter classes: got list, want operator_classes or None`},
		{`mutate.operators(c, r, keep_logic = 2)`, `mutate.operators: for parameter keep_logic: got int 2, want bool`},
		{`mutate.generate(c, r, -1)`, `mutate.generate: for parameter times: -1 is not between 1 and 100000`},
		{`mutate.generate(c, r, depth = -1)`, `mutate.generate: for parameter depth: -1 is not between 1 and 64`},
		{`mutate.generate(c, r, signatures = 1)`, `mutate.generate: for parameter signatures: got int 1, want signatures or None`},
		{`mutate.weaken(c, r, -1)`, `mutate.weaken: for parameter times: -1 is not between 1 and 100000`},
		{`mutate.strengthen(c, 1)`, `mutate.strengthen: for parameter rng: got int 1, want rng`},
		{`mutate.joint_logic(c, 1)`, `mutate.joint_logic: for parameter other: got int 1, want case`},
		{`mutate.grammar(1)`, `mutate.grammar: for parameter rules: got int 1, want a dict (str: list)`},
		{`mutate.grammar({})`, `mutate.grammar: for parameter rules: no nonterminal`},
		{`mutate.grammar("")`, `mutate.grammar: for parameter rules: got string "", want a dict (str: list)`},
		{`mutate.grammar("a ::= b")`, `mutate.grammar: for parameter rules: got string "a ::= b", want a dict (str: list)`},
		{`mutate.grammar({"S": ["(x"]})`, `mutate.grammar: for parameter rules: S: alternative "(x" is not one S-expression`},
		{`mutate.options(1)`, `mutate.options: for parameter by: got int 1, want solver`},
		{`mutate.options("z3")`, `mutate.options: for parameter by: got string "z3", want solver; is solver("z3") meant?`},
		{`mutate.options(solver("z3"), more = [1])`, `mutate.options: for parameter more: element 0: got int 1, want solver_rule`},
		{`mutate.options(solver("z3"), more = [solver.limit("x", between = (1, 2))])`, `mutate.options: for parameter more: element 0: got solver.limit("x", between = (1, 2)), want solver.option(...)`},
		{`mutate.fitting_options(1, {})`, `mutate.fitting_options: for parameter by: got int 1, want solver`},
		{`mutate.fitting_options(solver("z3"), 1)`, `mutate.fitting_options: for parameter options: got int 1, want a dict (str: str, bool or number)`},
		{`mutate.fitting_options(solver("z3"), {"a": []})`, `mutate.fitting_options: for parameter options: value of key "a": got list, want str, bool or number`},
		{`mutate.fitting_options(solver("z3"), {}, logic = 1)`, `mutate.fitting_options: for parameter logic: got int 1, want str or None`},
		{`pool.grow(1)`, `pool.grow: for parameter rng: got int 1, want rng`},
		{`pool.grow(r, -1)`, `pool.grow: for parameter times: -1 is not between 0 and 10000000`},
		{`pool.grow(r, ops = ["nope"])`, `pool.grow: for parameter ops: got list, want a dict (str: int) or None`},
		{`pool.grow(r, ops = {"nope": 1})`, `pool.grow: for parameter ops: "nope" is no operator of pools; want not, and, or, xor, =>, = or ite`},
		{`pool.grow(r, ops = {"and": -1})`, `pool.grow: for parameter ops: the weight of and is -1, want 0 to 1000000`},
		{`pool.grow(r, ops = {})`, `pool.grow: for parameter ops: all weights are 0`},
		{`pool.grow(r, max_depth = -1)`, `pool.grow: for parameter max_depth: -1 is below 0`},
		{`pool.grow(r, from_initial = 3)`, `pool.grow: for parameter from_initial: 3 is not between 0 and 1`},
		{`pool.sample(r, -1)`, `pool.sample: for parameter n: -1 is below 0`},
		{`pool.sample(r)`, `pool.sample: missing argument for n; usage: pool.sample(rng, n, *, from_initial = 0.3, balanced = False)`},
		{`pool.sample(r, "x")`, `pool.sample: for parameter n: got string "x", want a count (a whole number from 0 up)`},
		{`pool.true_formulas(r, -1)`, `pool.true_formulas: for parameter n: -1 is below 0`},
		{`pool.true_formulas(r, 1, from_initial = -1)`, `pool.true_formulas: for parameter from_initial: -1 is not between 0 and 1`},
		{`pool.scale(3, 1)`, `pool.scale: for parameter hi: 3 to 1 is no range from 0 to 10000000`},
		{`pool.scale(-3, 1)`, `pool.scale: for parameter hi: -3 to 1 is no range from 0 to 10000000`},
		{`pool.count(1)`, `pool.count: for parameter value: got int 1, want bool`},
	})
}
