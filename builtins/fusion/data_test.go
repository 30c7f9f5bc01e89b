package fusion_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	engine "github.com/smtlark/smtlark/engine/generate/fusion"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

const (
	lists = "(set-logic ALL)(set-info :status sat)(declare-datatype L ((nil) (cons (hd Int) (tl L))))(declare-const l L)(declare-const k L)(declare-const n Int)" +
		"(assert ((_ is cons) l))(assert (= (tl l) k))(assert (> (hd l) n))(check-sat)"
	listsModel = "((define-fun l () L (cons 7 nil)) (define-fun k () L nil) (define-fun n () Int 3))"
	trees      = "(set-logic ALL)(set-info :status sat)(declare-datatypes ((T 1)) ((par (X) ((leaf) (node (left (T X)) (val X) (right (T X)))))))" +
		"(declare-datatypes ((P 0)) (((pair (fst Bool) (snd Real)) (one (only Real)))))" +
		"(declare-const t (T Real))(declare-const p P)(declare-const r Real)" +
		"(assert ((_ is node) t))(assert (= (val t) r))(assert (=> ((_ is pair) p) (> (snd p) r)))(check-sat)"
	treesModel = "((define-fun t () (T Real) (node (as leaf (T Real)) 2.0 (as leaf (T Real)))) (define-fun r () Real 2.0) (define-fun p () P (one 1.0)))"
)

func textPart(t *testing.T, text, model, status string) engine.Part {
	t.Helper()
	s, err := smtlib.Parse("seed.smt2", []byte(strings.Replace(text, ":status sat", ":status "+status, 1)), smt.NewArena())
	require.NoError(t, err)
	asserts, err := scope.StripNames(s.Arena, s.Asserts())
	require.NoError(t, err)
	p := engine.Part{Script: s, Asserts: asserts, Answer: s.Status()}
	if model != "" {
		p.Model, err = modelreader.Parse(s, model)
		require.NoError(t, err)
		require.Equal(t, value.True, eval.CheckTerms(eval.New(s.Arena, p.Model), asserts).Result, "the test's own model")
	}
	return p
}

// dataNodes counts the operators over datatypes of a function, by name.
func dataNodes(n *engine.Node, seen map[string]int) {
	if n.Rule == nil {
		return
	}
	if name := n.Rule.Op.Name; strings.HasPrefix(name, "data.") {
		seen[name[:strings.IndexAny(name, "0123456789")]]++
	}
	for _, x := range n.Args {
		dataNodes(x, seen)
	}
}

func TestDatatypesFuse(t *testing.T) {
	table, env := library(t)
	seen := map[string]int{}
	asked, witnesses := 0, 0
	for seed := range uint64(60) {
		status := []string{"sat", "unsat"}[seed%2]
		one, two := lists, trees
		if status == "unsat" {
			one = strings.Replace(one, "(check-sat)", "(assert (not (= l (cons (hd l) k))))(check-sat)", 1)
			two = strings.Replace(two, "(check-sat)", "(assert (distinct t (node (left t) r (right t))))(check-sat)", 1)
		}
		parts := []engine.Part{textPart(t, one, "", status), textPart(t, two, "", status)}
		if status == "sat" {
			parts = []engine.Part{textPart(t, one, listsModel, status), textPart(t, two, treesModel, status)}
		}
		j, err := engine.Join(parts)
		require.NoError(t, err)
		r := rng.New(seed)
		here := map[string]int{}
		for range 3 {
			f, err := j.Fuse(table, j.Env(r, env, false, 0.5), 2, 0.3, engine.Size{Nodes: r.Range(5, 12)})
			require.NoError(t, err)
			if f != nil {
				dataNodes(f.Tree, here)
			}
		}
		answer, _ := smtlib.ParseAnswer(status)
		c, err := j.Case(r, engine.How{Answer: answer, Share: 0.7, Verify: true})
		require.NoError(t, err, "a right operator's witness holds")
		_, err = smtlib.Parse("fused.smt2", c.Text(), smt.NewArena())
		require.NoError(t, err, "%s", c.Text())
		if c.Witness != nil {
			witnesses++
		}
		for name, n := range here {
			seen[name] += n
		}
		if z3, err := exec.LookPath("z3"); err == nil && len(here) > 0 && len(c.Expect) > 0 && asked < 12 {
			asked++
			file := filepath.Join(t.TempDir(), "case.smt2")
			require.NoError(t, os.WriteFile(file, c.Text(), 0o644))
			out, _ := exec.Command(z3, "-T:5", file).CombinedOutput()
			wrong := map[string]string{"sat": "unsat", "unsat": "sat"}[status]
			require.NotContains(t, string(out), "error", "%s", c.Text())
			require.NotEqual(t, wrong, strings.TrimSpace(string(out)), "%s", c.Text())
		}
	}
	for _, name := range []string{"data.construct", "data.select", "data.update"} {
		require.Positive(t, seen[name], "%s: %v", name, seen)
	}
	require.Greater(t, witnesses, 15)
	t.Log(seen, witnesses, asked)
}
