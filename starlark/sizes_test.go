package script

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// program makes path conditions as executors of programs write them: words of bytes of an input, constants mixed in,
// conditions that were turned into numbers and back.
type program struct {
	a     *smt.Arena
	r     *rng.Source
	bytes []smt.Term
	words []smt.Term
}

func (p *program) app(op smt.Op, args ...smt.Term) smt.Term { return p.a.MustApp(op, args...) }

func (p *program) indexed(op smt.Op, x smt.Term, numbers ...uint64) smt.Term {
	var index []smt.Index
	for _, n := range numbers {
		index = append(index, p.a.NumIndex(n))
	}
	t, err := p.a.App(op, index, x)
	if err != nil {
		panic(err)
	}
	return t
}

func (p *program) constant() smt.Term {
	return p.a.BVUint(32, []uint64{0, 1, 2, 4, 8, 255, 256, 65535, 1 << 31, 1<<32 - 1, uint64(p.r.Intn(1000))}[p.r.Intn(11)])
}

// load reads a word of four bytes, or widens one byte.
func (p *program) load() smt.Term {
	k := p.r.Intn(len(p.bytes) - 3)
	switch p.r.Intn(3) {
	case 0:
		return p.indexed(smt.OpZeroExtend, p.bytes[k], 24)
	case 1:
		return p.indexed(smt.OpSignExtend, p.bytes[k], 24)
	}
	return p.app(smt.OpConcat, p.bytes[k+3], p.bytes[k+2], p.bytes[k+1], p.bytes[k])
}

// step computes a word from those before it.
func (p *program) step() {
	x, y := p.words[p.r.Intn(len(p.words))], p.words[p.r.Intn(len(p.words))]
	if p.r.Chance(0.6) {
		y = p.constant()
	}
	ops := []smt.Op{smt.OpBVAdd, smt.OpBVSub, smt.OpBVMul, smt.OpBVAnd, smt.OpBVOr, smt.OpBVXor, smt.OpBVShl, smt.OpBVLshr, smt.OpBVAshr}
	switch p.r.Intn(8) {
	case 0:
		p.words = append(p.words, p.indexed(smt.OpZeroExtend, p.indexed(smt.OpExtract, x, 7, 0), 24))
	case 1:
		p.words = append(p.words, p.app(smt.OpIte, p.condition(), x, y))
	case 2:
		p.words = append(p.words, p.load())
	default:
		p.words = append(p.words, p.app(ops[p.r.Intn(len(ops))], x, y))
	}
}

// condition compares two words, now and then by way of a number.
func (p *program) condition() smt.Term {
	x, y := p.words[p.r.Intn(len(p.words))], p.constant()
	ops := []smt.Op{smt.OpEq, smt.OpBVUlt, smt.OpBVUle, smt.OpBVSlt, smt.OpBVSle, smt.OpBVSgt, smt.OpBVUge}
	c := p.app(ops[p.r.Intn(len(ops))], x, y)
	if p.r.Chance(0.3) { // as languages without Booleans do
		c = p.a.Not(p.a.Eq(p.app(smt.OpIte, c, p.a.BVUint(32, 1), p.a.BVUint(32, 0)), p.a.BVUint(32, 0)))
	}
	if p.r.Bool() {
		c = p.a.Not(c)
	}
	return c
}

// pathCondition is the script of a path of a program.
func pathCondition(seed uint64) string {
	p := &program{a: smt.NewArena(), r: rng.New(seed)}
	var cmds []smtlib.Command
	for i := range 8 {
		f := p.a.Declare(fmt.Sprintf("b%d", i), nil, p.a.BitVec(8))
		p.bytes = append(p.bytes, p.a.Const(f))
		cmds = append(cmds, smtlib.DeclareCommand(p.a, f))
	}
	p.words = []smt.Term{p.load(), p.load()}
	for range 3 + p.r.Intn(12) {
		for range 1 + p.r.Intn(4) {
			p.step()
		}
		cmds = append(cmds, smtlib.AssertCommand(p.condition()))
	}
	return (&smtlib.Script{Arena: p.a, Commands: cmds}).Text()
}

// besideZ3 returns how many terms a script asserts, how many after smtlark's simplifier and how many after z3's
// simplify; ok is false where z3 prints what is not SMT-LIB.
func besideZ3(t *testing.T, z3, name, text string) (before, ours, theirs int, ok bool) {
	script, err := smtlib.Parse(name, []byte(text), smt.NewArena())
	require.NoError(t, err)
	a := script.Arena
	var head bytes.Buffer
	for i := range script.Commands {
		if c := &script.Commands[i]; c.Kind.IsDeclaration() || c.Kind.IsDefinition() {
			head.Write((&smtlib.Script{Arena: a, Commands: script.Commands[i : i+1]}).AppendTo(nil))
		}
	}
	question := bytes.NewBuffer(bytes.Clone(head.Bytes()))
	for _, x := range script.Asserts() {
		fmt.Fprintf(question, "(simplify %s)\n(echo \"end\")\n", smtlib.TermText(a, x))
	}
	cmd := exec.Command(z3, "-in", "-T:10")
	cmd.Stdin = question
	out, _ := cmd.Output()
	if strings.Contains(string(out), "(error") {
		return 0, 0, 0, false
	}
	for _, part := range strings.Split(string(out), "end\n") {
		if strings.TrimSpace(part) != "" {
			fmt.Fprintf(&head, "(assert %s)\n", part)
		}
	}
	after, err := smtlib.Parse(name, head.Bytes(), smt.NewArena())
	if err != nil || len(after.Asserts()) != len(script.Asserts()) {
		return 0, 0, 0, false
	}
	to := simplifier(t, a).Script(script)
	return a.Size(script.Asserts()...), a.Size(to.Asserts()...), after.Arena.Size(after.Asserts()...), true
}

// TestSizesBesideZ3 compares the sizes of seeds and of path conditions after simplifying with those after z3's
// simplify. With SMTLARK_DEEP it looks at all seeds, and at 1,000 path conditions.
func TestSizesBesideZ3(t *testing.T) {
	found, err := Supply().Find("z3", "")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("z3 is not installed: CI must have it")
		}
		t.Skip("z3 is not installed")
	}
	paths := map[string]string{}
	n := 40
	if os.Getenv("SMTLARK_DEEP") != "" {
		n = 1000
	}
	for i := range n {
		paths[fmt.Sprint("path ", i)] = pathCondition(uint64(i))
	}
	for _, group := range []struct {
		name  string
		texts map[string]string
	}{{"seeds", someSeeds(t)}, {"path conditions", paths}} {
		var count, before, ours, theirs, smaller, equal, larger int
		for name, text := range group.texts {
			x, y, z, ok := besideZ3(t, found.Path, filepath.Base(name), text)
			if !ok {
				continue
			}
			count, before, ours, theirs = count+1, before+x, ours+y, theirs+z
			switch {
			case y < z:
				smaller++
			case y == z:
				equal++
			default:
				larger++
				if testing.Verbose() && larger < 8 && os.Getenv("SMTLARK_SHOW") != "" {
					t.Logf("%s: %d, z3 %d\n%.1500s", name, y, z, text)
				}
			}
		}
		t.Logf("%s: %d of %d files; %d terms, %d after smtlark's, %d after z3's; smaller than z3's %d, equal %d, larger %d", group.name, count, len(group.texts), before, ours, theirs, smaller, equal, larger)
		require.Greater(t, 2*(smaller+equal), count, group.name)
	}
}
