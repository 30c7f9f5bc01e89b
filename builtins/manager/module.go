package manager

import (
	"strings"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/generate/gen"
)

// Module returns the module and its type.
func Module() registry.Module {
	return registry.Module{
		Name:  "gen",
		Doc:   "The solver manager: a database of sorts and terms, with scopes and use counts, that picks and makes terms. A walk has one (walk.manager); gen.manager makes one for a mutator from a case.",
		Types: []*registry.Type{Type},
		Members: []registry.Builtin{{
			Name: "grammar",
			Doc: "A grammar in EBNF, as a file or as a text: `name = \"(\" \"f\" name \")\" | \"x\" ;` (ISO 14977), with `::=` for `=` and `<name>` for `name` if you like, `{ }` and `*` for any number, `[ ]` and `?` for one or none, `+`, `( )`, comments in `(* *)` or behind `#`. " +
				"The first rule is the start. What a rule derives without parentheses is one token, written without spaces, such as a number made of digits. A name without a rule, such as `Int`, is open: grammar.random asks what stands for it.",
			Params:  []registry.Param{{Name: "source", Type: "str", Doc: "the name of a file, relative to the campaign file, or the text of a grammar"}},
			Ret:     "grammar",
			Example: "gen.grammar('f = \"(\" \"not\" f \")\" | \"p\" ;').at(1)  # -> \"( not p )\"\ngen.grammar('f = \"p')  # error: gen.grammar: for parameter source: grammar:1: ", Do: registry.Into(value.ReadGrammar),
		}, {
			Name: "manager",
			Doc:  "A manager with the closed terms, the sorts and the functions of a case. It makes terms of the case's theories, with operators that the targets support; without targets, with operators of the SMT-LIB standard.",
			Params: []registry.Param{
				{Name: "case", Type: "case | None", Default: "None", Doc: "None: no terms but true and false"},
				{Name: "*"},
				{Name: "theories", Type: "list[str] | None", Default: "None", Doc: "such as [\"BV\", \"Array\", \"UF\"]: " + strings.Join(engine.TheoryNames(), ", ") + "; None: those of the case"},
				{Name: "max_width", Type: "count", Default: "0", Doc: "greatest width of a bit vector; 0: the greatest of the case, at least 64"},
				{Name: "targets", Type: "list[solver] | solver | None", Default: "None", Doc: "use operators and sorts that these support; None: the targets of the campaign"},
			},
			Ret:     "manager",
			Example: Example + "m.terms(smt.Int)  # -> (x, 1)", Do: registry.Into(New),
		}},
	}
}
