package eval

import (
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/theory"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// interpretation gives symbols, sorts and the operators of the theories their meaning.
type interpretation struct {
	m        *model.Model
	domains  value.Domains
	theory   theory.Context
	sampled  map[smt.Sort][]value.Value
	grounds  map[groundsOf]grounds
	complete bool // symbols that the model does not interpret have default values
}

// Model returns the model that terms are evaluated in.
func (e *interpretation) Model() *model.Model { return e.m }

// Domains returns the sets of values of sorts under the model.
func (e *interpretation) Domains() *value.Domains { return &e.domains }

// constantTable is the value of an array or function sort that is def everywhere.
func (e *interpretation) constantTable(sort smt.Sort, def value.Value) value.Value {
	if sort == def.Sort() {
		return def
	}
	r, ok := e.theory.Arena.Applied(sort)
	if !ok {
		return def
	}
	return value.OfTable(sort, value.NewTable(e.domains.Of(e.theory.Arena.SortArgs(sort)[0]), e.constantTable(r, def)))
}

// sampleValues returns some values of a sort: those of the model's constants, the first ones, the boundaries.
func (e *interpretation) sampleValues(sort smt.Sort) []value.Value {
	if s, ok := e.sampled[sort]; ok {
		return s
	}
	var out []value.Value
	seen := value.Map{}
	add := func(v value.Value) {
		if !v.IsValue() || !v.Comparable() || len(out) >= samplesPerVar {
			return
		}
		if _, dup := seen.Get(v); !dup {
			seen = seen.Set(v, value.Bool(true))
			out = append(out, v)
		}
	}
	add(e.domains.Default(sort))
	for _, v := range boundaryValues(e.theory.Arena, sort) {
		add(v)
	}
	for _, f := range e.m.Symbols() {
		if v, ok := e.m.Value(f); ok && v.Sort() == sort {
			add(v)
		}
	}
	for i := range uint64(8) {
		if v, ok := e.domains.Of(sort).Some(i); ok {
			add(v)
		}
	}
	if e.sampled == nil {
		e.sampled = map[smt.Sort][]value.Value{}
	}
	e.sampled[sort] = out
	return out
}

// constantValue returns the value of a symbol without parameters; ok is false where its definition must be evaluated.
func (e *interpretation) constantValue(t smt.Term) (v value.Value, ok bool) {
	sym := e.theory.Arena.SymbolOf(t)
	info := e.theory.Arena.SymbolInfo(sym)
	switch info.Kind {
	case smt.SymDefined, smt.SymNamed:
		if info.Body == 0 {
			return value.NoValue(info.Name, "the definition has no body"), true
		}
		return value.Value{}, false
	case smt.SymConstructor:
		return value.Data(e.theory.Arena.Sort(t), info.Ctor), true
	}
	if v, ok := e.m.Value(sym); ok {
		if v.Kind() == value.KindNone {
			return value.NoValueInModel(info.Name, "the model gives no value"), true
		}
		return v, true
	}
	if v, ok := e.m.Element(sym); ok {
		return v, true
	}
	if e.complete {
		return e.domains.Default(info.Result), true
	}
	return value.NoValueInModel(info.Name, "the model gives no value"), true
}
