package cache

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/normal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// namesOf returns the names of the symbols that a form numbers.
func namesOf(a *smt.Arena, f *normal.Form) []string {
	names := make([]string, len(f.Symbols))
	for i, s := range f.Symbols {
		if s != 0 {
			names[i] = a.SymbolName(s)
		} else {
			names[i], _ = a.SortSymbolName(f.Sorts[i])
		}
	}
	return names
}

// textOf returns the part of a model that belongs to a slice.
func textOf(m *model.Model, f *normal.Form) string {
	part := m.Clone()
	own := make(map[smt.Symbol]bool, len(f.Symbols))
	for _, s := range f.Symbols {
		own[s] = true
	}
	for _, s := range part.Symbols() {
		if !own[s] {
			part.Unset(s)
		}
	}
	return part.Text()
}

// readModel adds the model in an answer about a slice with the same text to a model, under the names of this slice. It
// reports whether the answer could be read. The caller must evaluate whether it is a model of the slice.
func readModel(m *model.Model, f *normal.Form, x *answer) bool {
	a := m.Arena()
	names := namesOf(a, f)
	if len(names) != len(x.names) {
		return false
	}
	text, ok := renamed(x.model, x.names, names)
	if !ok {
		return false
	}
	never := scope.Told{Sort: func(smt.SortSymbol) bool { return false }, Symbol: func(smt.Symbol) bool { return false }}
	script := &smtlib.Script{Arena: a, Commands: scope.Missing(a, f.Asserts, never)}
	part, err := modelreader.Parse(script, text)
	if err != nil {
		return strings.TrimSpace(text) == "()"
	}
	m.AddAll(part)
	return true
}

// readAnswer is readModel with a cache: a small answer that only gives values to constants of sorts without names is
// parsed once, because the values are the same for all slices with its text.
func (c *Client) readAnswer(m *model.Model, f *normal.Form, x *answer) bool {
	values, known := c.read[x]
	if !known {
		part := model.New(c.a)
		if !readModel(part, f, x) {
			return false
		}
		m.AddAll(part)
		if values = plainValues(part, f); values != nil && x.size() <= maxReadSize {
			if len(c.read) >= maxRead {
				clear(c.read)
			}
			c.read[x] = values
		}
		return true
	}
	for i, s := range f.Symbols {
		if values[i].IsValue() {
			m.Set(s, values[i])
		}
	}
	return true
}

// isPlain reports whether a model only gives values to constants that are in the arena and whose sorts have no names.
func isPlain(m *model.Model) bool {
	a := m.Arena()
	return m.HasOnlyConstants() && !slices.ContainsFunc(m.Symbols(), func(f smt.Symbol) bool {
		return int(f) >= a.NumSymbols() || !hasPlainValues(a, a.SymbolInfo(f).Result)
	})
}

// hasPlainValues reports whether the values of a sort do not mention any sort by name.
func hasPlainValues(a *smt.Arena, s smt.Sort) bool {
	switch a.SortKind(s) {
	case smt.KindBool, smt.KindInt, smt.KindReal, smt.KindBitVec:
		return true
	}
	return false
}

// plainValues returns the values of the symbols of a form; nil if the model has anything else, or a value has a sort
// other than these.
func plainValues(m *model.Model, f *normal.Form) []value.Value {
	a := m.Arena()
	if !m.HasOnlyConstants() {
		return nil
	}
	values := make([]value.Value, len(f.Symbols))
	for i, s := range f.Symbols {
		if s == 0 {
			return nil
		}
		if !hasPlainValues(a, a.SymbolInfo(s).Result) {
			return nil
		}
		values[i], _ = m.Value(s)
	}
	return values
}

// renamed returns a model with other names; ok is false if one name would have to become two different ones. Comments,
// which tell how large universes are, are renamed as well.
func renamed(text string, from, to []string) (out string, ok bool) {
	names := make(map[string]string, len(from))
	for i, name := range from {
		if other, seen := names[name]; seen && other != to[i] {
			return "", false
		}
		names[name] = to[i]
	}
	same := true
	for name, other := range names {
		same = same && name == other
	}
	if same {
		return text, true
	}
	var b []byte
	for line := range strings.Lines(text) {
		if rest, isComment := strings.CutPrefix(strings.TrimSpace(line), "; "); isComment {
			exprs, err := smtlib.ParseSExprs(rest)
			if err != nil {
				continue
			}
			b = append(b, "; "...)
			for i := range exprs {
				b = append(appendRenamed(b, &exprs[i], names), ' ')
			}
			b = append(b, '\n')
		}
	}
	exprs, err := smtlib.ParseSExprs(text)
	if err != nil {
		return "", false
	}
	for i := range exprs {
		b = append(appendRenamed(b, &exprs[i], names), '\n')
	}
	return string(b), true
}

// appendRenamed appends an expression with other names.
func appendRenamed(b []byte, e *smtlib.SExpr, names map[string]string) []byte {
	todo := []*smtlib.SExpr{e}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if name, ok := names[x.Symbol()]; ok && !x.IsList() {
			x.Atom = smt.QuoteSymbol(name)
		}
		for i := range x.List {
			todo = append(todo, &x.List[i])
		}
	}
	return e.Append(b)
}
