package value

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign/workspace"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Sort is a sort in a script.
type Sort struct {
	st *TermStore
	id smt.Sort
}

// baseStore holds the sorts and terms that are the same in every arena. It is frozen: see TermStore.
var baseStore = func() *TermStore {
	s := workspace.NewStore(smt.NewArena(), "")
	s.Freeze()
	return s
}()

// NewSort wraps a sort of a store's arena.
func NewSort(st *TermStore, s smt.Sort) Sort { return Sort{st, s} }

// BaseSort wraps one of the parameterless standard sorts.
func BaseSort(s smt.Sort) Sort { return Sort{baseStore, s} }

// In returns the sort in an arena's store.
func (s Sort) In(st *TermStore) (smt.Sort, error) { return st.ImportSort(s.st, s.id) }

func (s Sort) String() string        { return s.st.Arena.SortString(s.id) }
func (s Sort) Type() string          { return "sort" }
func (s Sort) Freeze()               { s.st.Freeze() }
func (s Sort) Truth() starlark.Bool  { return true }
func (s Sort) Hash() (uint32, error) { return workspace.HashText(s.String()), nil }

// Attr implements starlark.HasAttrs.
func (s Sort) Attr(name string) (starlark.Value, error) { return SortType.Attr(s, name) }

// AttrNames implements starlark.HasAttrs.
func (s Sort) AttrNames() []string { return SortType.AttrNames() }

// CompareSameType implements starlark.Comparable: sorts are equal or not, and have no order.
func (s Sort) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	o := y.(Sort)
	same := smt.SameSort(s.st.Arena, s.id, o.st.Arena, o.id)
	return equality(op, same, "sorts have no order")
}

// same reports whether a sort of a store is s.
func (s Sort) same(st *TermStore, x smt.Sort) bool {
	return smt.SameSort(s.st.Arena, s.id, st.Arena, x)
}

func (s Sort) kind() smt.SortKind { return s.st.Arena.SortKind(s.id) }

// SortType describes the attributes of sort values.
var SortType = registry.NewType[Sort]("sort", "A sort of SMT-LIB. Two sorts are equal if their texts are equal.", []registry.Builtin{
	{Name: "name", Doc: "The sort's constructor: \"Int\", \"BitVec\", \"FloatingPoint\", \"Array\", or the name of a declared sort or datatype.", Ret: "str",
		Example: "smt.BitVec(8).name  # -> \"BitVec\"", Get: func(v starlark.Value) (starlark.Value, error) {
			s := v.(Sort)
			if sym := s.st.Arena.SortSymbolOf(s.id); sym != 0 {
				name, _ := s.st.Arena.SortSymbolName(sym)
				return starlark.String(name), nil
			}
			return starlark.String(s.kind().String()), nil
		}},
	{Name: "width", Doc: "The width of a bit-vector sort in bits; None for any other.", Ret: "int | None",
		Example: "smt.BitVec(8).width  # -> 8", Get: func(v starlark.Value) (starlark.Value, error) {
			s := v.(Sort)
			if w := s.st.Arena.Width(s.id); w > 0 {
				return starlark.MakeInt(w), nil
			}
			return starlark.None, nil
		}},
	{Name: "format", Doc: "Exponent and significand width (with the hidden bit) of a floating-point sort; None for any other.", Ret: "tuple[int, int] | None",
		Example: "smt.Float(8, 24).format  # -> (8, 24)", Get: func(v starlark.Value) (starlark.Value, error) {
			s := v.(Sort)
			if eb, sb := s.st.Arena.FloatFormat(s.id); eb > 0 {
				return starlark.Tuple{starlark.MakeInt(eb), starlark.MakeInt(sb)}, nil
			}
			return starlark.None, nil
		}},
	{Name: "args", Doc: "The sorts of which it consists: index and element of an array, element of a sequence, domain and codomain of a function.", Ret: "tuple[sort, ...]",
		Example: "smt.Array(smt.Int, smt.Bool).args  # -> (Int, Bool)", Get: func(v starlark.Value) (starlark.Value, error) {
			s := v.(Sort)
			var out starlark.Tuple
			for _, x := range s.st.Arena.SortArgs(s.id) {
				out = append(out, NewSort(s.st, x))
			}
			return out, nil
		}},
})

func equality(op syntax.Token, same bool, why string) (bool, error) {
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, orderError(why)
}

type orderError string

func (e orderError) Error() string { return string(e) }

// SortPattern reads a sort, or a text with letters such as "BV(m)".
func SortPattern(v starlark.Value) (smt.Pattern, error) {
	switch v := v.(type) {
	case starlark.String:
		return smt.ParsePattern(string(v))
	case Sort:
		st := workspace.NewStore(smt.NewArena(), "")
		s, err := v.In(st)
		if err != nil {
			return smt.Pattern{}, err
		}
		return smt.PatternOf(st.Arena, s)
	}
	return smt.Pattern{}, fmt.Errorf("got %s, want a sort or a text such as \"BV(m)\"", v.Type())
}
