package registry

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// check reports, without calling the function, whether it can be called as f requires. It returns "" if so, else what
// is wrong. Only functions of scripts and of the registry can be checked.
func (f *FuncType) check(v starlark.Value) string {
	n := len(f.Params)
	want := "want " + f.phrase()
	switch fn := v.(type) {
	case *starlark.Function:
		least, most := 0, fn.NumParams()-fn.NumKwonlyParams()
		if fn.HasKwargs() {
			most--
		}
		if fn.HasVarargs() {
			most--
		}
		for i := range most {
			if fn.ParamDefault(i) == nil {
				least++
			}
		}
		for i := range fn.NumKwonlyParams() {
			if fn.ParamDefault(most+i) == nil {
				name, _ := fn.Param(most + i)
				return fmt.Sprintf("%s takes %s by name, %s", fn.Name(), name, want)
			}
		}
		msg := fmt.Sprintf("%s takes (%s), %s", fn.Name(), parameters(fn), want)
		switch {
		case fn.HasVarargs() && least <= n:
			return ""
		case least == 0 && n > 0 && fn.Name() != "lambda": // storm in the place of storm()
			return fmt.Sprintf("%s; is %s() meant?", msg, fn.Name())
		case n < least || n > most:
			return msg
		}
	case *starlark.Builtin:
		e, ok := fn.Receiver().(entry)
		if !ok || e.CheckShape(n, nil) == "" {
			return ""
		}
		msg := fmt.Sprintf("%s takes (%s), %s", fn.Name(), strings.Join(e.signature().names, ", "), want)
		if e.CheckShape(0, nil) == "" {
			msg += fmt.Sprintf("; is %s() meant?", fn.Name())
		}
		return msg
	}
	return ""
}

// CheckFunction reports, without calling the function, whether it takes parameters with these names by position. It
// returns "" if so, and otherwise the error. It is for functions whose number of parameters depends on other arguments.
func CheckFunction(f starlark.Callable, names ...string) string {
	return (&FuncType{Params: make([]*TypeExpr, len(names)), Names: names}).check(f)
}

func (f *FuncType) phrase() string {
	return fmt.Sprintf("a function of (%s)", strings.Join(f.Names, ", "))
}

// parameters lists the parameters of a script's function as written; if there are many, only the first ones.
func parameters(fn *starlark.Function) string {
	// The interpreter stores them in another order: *args follows the keyword-only parameters.
	ordinary := fn.NumParams()
	var variable, keywords string
	if fn.HasKwargs() {
		ordinary--
		name, _ := fn.Param(ordinary)
		keywords = "**" + name
	}
	if fn.HasVarargs() {
		ordinary--
		name, _ := fn.Param(ordinary)
		variable = "*" + name
	} else if fn.NumKwonlyParams() > 0 {
		variable = "*"
	}
	var names []string
	for i := range ordinary {
		name, _ := fn.Param(i)
		if v := fn.ParamDefault(i); v != nil {
			name += " = " + abbreviate(v.String())
		}
		names = append(names, name)
	}
	if variable != "" {
		names = slices.Insert(names, ordinary-fn.NumKwonlyParams(), variable)
	}
	if keywords != "" {
		names = append(names, keywords)
	}
	for i := range names {
		if len(strings.Join(names[:i], ", ")) > 60 {
			names = append(names[:i], "...")
			break
		}
	}
	return strings.Join(names, ", ")
}

// entry is the receiver of an entry's function, so that the entry can be found again when the function is given to
// another one.
type entry struct{ *Builtin }

var _ starlark.Value = entry{}

func (e entry) String() string        { return e.FullName() }
func (e entry) Type() string          { return "module" }
func (e entry) Freeze()               {} // immutable
func (e entry) Truth() starlark.Bool  { return true }
func (e entry) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: %s", e.Type()) }
