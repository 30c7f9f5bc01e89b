package scope

import (
	"slices"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// DeclareKind reports whether commands declare something of one of the sort kinds, which are given by name.
func DeclareKind(a *smt.Arena, commands []smtlib.Command, kinds []string) bool {
	return slices.ContainsFunc(KindsOfSymbols(a, commands), func(k smt.SortKind) bool {
		return slices.Contains(kinds, k.String())
	})
}

// KindsOfSymbols returns the kinds of the sorts, and of their parts, of the symbols that commands declare, in order of
// first occurrence. A model has values of these kinds.
func KindsOfSymbols(a *smt.Arena, commands []smtlib.Command) (kinds []smt.SortKind) {
	var add func(s smt.Sort)
	add = func(s smt.Sort) {
		if k := a.SortKind(s); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
		for _, part := range a.SortArgs(s) {
			add(part)
		}
	}
	for i := range commands {
		for _, f := range commands[i].Symbols {
			info := a.SymbolInfo(f)
			if info.Body != 0 {
				continue
			}
			add(info.Result)
			for _, p := range info.Params {
				add(p)
			}
		}
	}
	return kinds
}
