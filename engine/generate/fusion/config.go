package fusion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// constName matches the constants of YinYang's configuration files that get random values.
var constName = pattern.Lazy(`^c[0-9]*$`)

// ReadConfig reads functions in YinYang's format into the arena: blocks from #begin to #end that declare inputs, then
// z, then constants c, c0, c1, …, and assert z = f and one equation for each input. A line with a semicolon is skipped,
// as YinYang does. The functions are not proven: see Function.Proven.
func ReadConfig(a *smt.Arena, text string) ([]*Function, error) {
	var out []*Function
	var block []string
	in, number := false, 0
	for n, line := range strings.Split(text, "\n") {
		switch s := strings.TrimSpace(line); {
		case strings.HasPrefix(s, "#begin"):
			in, block, number = true, nil, n+1
		case strings.HasPrefix(s, "#end") && in:
			f, err := readBlock(a, strings.Join(block, "\n"))
			if err != nil {
				return nil, fmt.Errorf("the function at line %d: %w", number, err)
			}
			out, in = append(out, f), false
		case in && !strings.Contains(line, ";"):
			block = append(block, line)
		}
	}
	if in {
		return nil, fmt.Errorf("the function at line %d has no #end", number)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no function: want blocks from #begin to #end")
	}
	return out, nil
}

func readBlock(a *smt.Arena, text string) (*Function, error) {
	s, err := smtlib.Parse("function", []byte(text), a)
	if err != nil {
		return nil, err
	}
	f := &Function{Arena: a}
	var vars []smt.Symbol
	for _, c := range s.Commands {
		if c.Kind != smtlib.CmdDeclareConst && c.Kind != smtlib.CmdDeclareFun {
			continue
		}
		// Nothing but the name tells a constant of the function from a variable.
		if constName().MatchString(a.SymbolName(c.Symbols[0])) {
			f.Consts = append(f.Consts, c.Symbols[0])
		} else {
			vars = append(vars, c.Symbols[0])
		}
	}
	if len(vars) < 2 {
		return nil, fmt.Errorf("it declares %d variables, want inputs and z", len(vars))
	}
	for _, v := range vars[:len(vars)-1] {
		f.Inputs = append(f.Inputs, a.Const(v))
	}
	f.Z = a.Const(vars[len(vars)-1])
	f.Inverse = make([]smt.Term, len(f.Inputs))
	for _, t := range s.Asserts() {
		if a.Op(t) != smt.OpEq || a.NumArgs(t) < 2 {
			return nil, fmt.Errorf("%s is no equation", a.Brief(t))
		}
		x, y := a.Arg(t, 0), a.Arg(t, 1)
		if i := slices.Index(f.Inputs, x); i >= 0 && f.Inverse[i] == 0 {
			f.Inverse[i] = y
		} else if x == f.Z && f.F == 0 {
			f.F = y
		} else {
			return nil, fmt.Errorf("%s defines neither z nor an input", a.Brief(t))
		}
	}
	for i, t := range f.Inverse {
		if t == 0 || f.F == 0 {
			return nil, fmt.Errorf("there is no equation for z or for %s", a.Brief(f.Inputs[i]))
		}
	}
	f.Needs = logic.OfTerms(a, append(f.Inverse[:len(f.Inverse):len(f.Inverse)], f.F))
	return f, nil
}

// Place draws variables of the joint script that have the sorts of the function's inputs and returns the function over
// them, with constants and z of its own.
func (j *Joint) Place(e *Env, f *Function) (*Function, error) {
	c := newCopier(f.Arena, j.arena, j.freeName, "function ")
	defer c.free()
	a := j.arena
	out := &Function{Arena: a, Proven: f.Proven}
	start := e.Rng.Intn(len(j.parts))
	for i, x := range f.Inputs {
		s, err := c.Sort(f.Arena.Sort(x))
		if err != nil {
			return nil, ErrNoFunction
		}
		t := smt.Term(0)
		// Each input from another part if that is possible: a function of variables of one part connects nothing.
		for k := 0; t == 0 && k < len(j.parts); k++ {
			t = j.drawVariable(e.Rng, j.parts[(start+i+k)%len(j.parts)].consts, s)
		}
		if t == 0 {
			for _, t := range out.Inputs {
				delete(j.picked, t)
			}
			return nil, ErrNoFunction
		}
		j.picked[t] = true
		out.Inputs = append(out.Inputs, t)
		c.BindTerm(x, t)
	}
	for _, k := range append(slices.Clone(f.Consts), f.Arena.SymbolOf(f.Z)) {
		base := "c"
		s, err := c.Sort(f.Arena.SymbolInfo(k).Result)
		if err != nil {
			return nil, err
		}
		if k == f.Arena.SymbolOf(f.Z) {
			base = "z"
		}
		n := a.Declare(j.freshName(base), nil, s)
		c.BindTerm(f.Arena.Const(k), a.Const(n))
		if base == "z" {
			out.Z = a.Const(n)
		} else {
			out.Consts = append(out.Consts, n)
		}
	}
	return out, c.copyBody(f, out)
}

// copyBody copies the terms of a function whose constants are placed.
func (c *copier) copyBody(f, out *Function) (err error) {
	if out.F, err = c.Term(f.F); err != nil {
		return err
	}
	for _, t := range f.Inverse {
		x, err := c.Term(t)
		if err != nil {
			return err
		}
		out.Inverse = append(out.Inverse, x)
	}
	out.Needs = logic.OfTerms(c.To, append(out.Inverse[:len(out.Inverse):len(out.Inverse)], out.F))
	return nil
}
