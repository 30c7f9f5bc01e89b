package smtml_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/engine/semantics/smtml"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

const manySorts = `(declare-const p Bool)(declare-const x Int)(declare-const r Real)(declare-const |a string| String)(declare-const b7 (_ BitVec 7))
(declare-const b (_ BitVec 128))(declare-const f (_ FloatingPoint 8 24))(declare-const g (_ FloatingPoint 11 53))(declare-const h (_ FloatingPoint 3 5))
(declare-sort A 0)(declare-const u A)(declare-const v A)(declare-fun k (Int A) Real)(declare-const m (Array Int Bool))
(declare-datatype D ((c (left D) (n Int)) (e)))(declare-const d D)(declare-const rm RoundingMode)
`

// TestModels: every format says the same of random models of many sorts.
func TestModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		script := parse(t, manySorts)
		m := search.RandomModel(script, rng.New(rapid.Uint64().Draw(t, "seed")))
		for _, format := range []smtml.ModelFormat{smtml.ModelSMTLIB, smtml.ModelJSON, smtml.ModelSCFG} {
			text := smtml.WriteModel(m, format)
			back, err := smtml.ReadModel(script, text)
			require.NoError(t, err, text)
			require.Equal(t, m.Text(), back.Text(), text)
		}
	})
}

// TestModelFormats: how the formats spell values, those of Smt.ml among them.
func TestModelFormats(t *testing.T) {
	script := parse(t, `(declare-const x_0 Int)(declare-const x_1 Bool)(declare-const x_2 (_ FloatingPoint 8 24))(declare-const r Real)(declare-const s String)
(declare-const b (_ BitVec 32))(declare-fun f (Int) Int)(declare-sort A 0)(declare-const u A)
(assert (and (= x_0 42) x_1 (= x_2 ((_ to_fp 8 24) RNE 42.42)) (= r (- (/ 1 3))) (= s "a""b\u{e9}") (= b #xffffffff) (= (f 1) 2)))`)
	m, err := modelreader.Parse(script, `((define-fun x_0 () Int 42)(define-fun x_1 () Bool true)(define-fun x_2 () (_ FloatingPoint 8 24) ((_ to_fp 8 24) RNE 42.42))
(define-fun r () Real (/ (- 1) 3))(define-fun s () String "a""b\u{e9}")(define-fun b () (_ BitVec 32) #xffffffff)(define-fun f ((x Int)) Int (ite (= x 1) 2 0)))`)
	require.NoError(t, err)
	require.JSONEq(t, `{"model": {"x_0": {"ty": "int", "value": 42}, "x_1": {"ty": "bool", "value": true}, "x_2": {"ty": "f32", "value": "42.42"},
"r": {"ty": "real", "value": "-1/3"}, "s": {"ty": "str", "value": "a\"b\\u{e9}"}, "b": {"ty": "i32", "value": 4294967295},
"f": {"define-fun": "(define-fun f ((x!0 Int)) Int (ite (= x!0 1) 2 0))"}}}`, smtml.WriteModel(m, smtml.ModelJSON))
	require.Equal(t, `model {
  symbol b i32 4294967295
  define-fun f "(define-fun f ((x!0 Int)) Int (ite (= x!0 1) 2 0))"
  symbol r real -1/3
  symbol s str "a\"b\\u{e9}"
  symbol x_0 int 42
  symbol x_1 bool true
  symbol x_2 f32 42.42
}
`, smtml.WriteModel(m, smtml.ModelSCFG))
	for _, text := range []string{
		`{"model": {"x_0": {"ty": "int", "value": 42}, "x_1": {"ty": "bool", "value": true}, "x_2": {"ty": "f32", "value": 42.42}, "unknown": {"ty": "int", "value": 1},
 "b": {"ty": "i32", "value": -1}, "r": {"ty": "real", "value": "-1/3"}, "s": {"ty": "str", "value": "a\"b\\u{e9}"}, "f": {"define-fun": "(define-fun f ((x Int)) Int 2)"}}}`,
		"# a comment\nmodel {\n  symbol x_0 int 42\n symbol x_1 bool true\n\tsymbol x_2 f32 '42.42'\n symbol b i32 0xffffffff\n symbol r real -1/3\n symbol \"s\" str \"a\\\"b\\\\u{e9}\"\n define-fun f '(define-fun f ((x Int)) Int 2)'\n universe A 3\n}\n",
	} {
		m, err := smtml.ReadModel(script, text)
		require.NoError(t, err, text)
		require.Equal(t, value.True, eval.CheckModel(script, m).Result, "%s\n%s", text, m.Text())
	}
	for _, x := range [][2]string{
		{`{"model": 1}`, "a model in JSON"},
		{`{"x": 1}`, `there is no "model"`},
		{`{"model": {"x_0": {"ty": "int", "value": 4.5}}}`, `the value of x_0: "4.5" is no value of type int`},
		{`{"model": {"x_0": {"ty": "int", "value": [1]}}}`, "the value of x_0 is no number"},
		{`{"model": {"b": {"ty": "i32", "value": 4294967296}}}`, "is no value of type i32"},
		{"model {\n symbol x_0 int \"4\n}", "line 2: a quoted word does not end"},
		{"model {\n symbol x_0 int 4", "the block does not end"},
		{"model {\n simbol x_0 int 4\n}", "line 2: want symbol NAME TYPE VALUE"},
	} {
		_, err := smtml.ReadModel(script, x[0])
		require.ErrorContains(t, err, x[1], x[0])
	}
	unknown, err := modelreader.Parse(script, "(define-fun x_0 () Int (unknown_function 3))")
	require.NoError(t, err)
	require.Contains(t, smtml.WriteModel(unknown, smtml.ModelJSON), `"x_0": {"ty": "Int", "value": null}`)
	require.Contains(t, smtml.WriteModel(unknown, smtml.ModelSCFG), "  symbol x_0 Int\n")
}
