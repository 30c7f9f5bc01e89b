package api

import (
	"strings"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/generate/gen"
)

// ManagerModule returns the module and its type.
func ManagerModule() registry.Module {
	return registry.Module{
		Name:  "gen",
		Doc:   "The solver manager: a database of sorts and terms, with scopes and use counts, that picks and makes terms. A walk has one (walk.manager); gen.manager makes one for a mutator from a case.",
		Types: []*registry.Type{managerType},
		Members: []registry.Builtin{{
			Name: "grammar",
			Doc: "A grammar in EBNF, as a file or as a text: `name = \"(\" \"f\" name \")\" | \"x\" ;` (ISO 14977), with `::=` for `=` and `<name>` for `name` if you like, `{ }` and `*` for any number, `[ ]` and `?` for one or none, `+`, `( )`, comments in `(* *)` or after `#`. " +
				"The first rule is the start. If a rule derives text without parentheses, the text is one token without spaces, such as a number made of digits. A name without a rule, such as `Int`, is open: grammar.random asks which text to insert for it.",
			Ret:     "grammar",
			Example: "gen.grammar('f = \"(\" \"not\" f \")\" | \"p\" ;').at(1)  # -> \"( not p )\"\ngen.grammar('f = \"p')  # error: gen.grammar: for parameter source: grammar:1: ", Do: registry.Into(value.ReadGrammar),
		}, {
			Name:    "manager",
			Doc:     "A manager with the closed terms, the sorts and the functions of a case. It makes terms of the case's theories with operators that the targets support. Without targets, it uses operators of the SMT-LIB standard.",
			Words:   map[string]string{"theories": strings.Join(engine.TheoryNames(), ", ")},
			Ret:     "manager",
			Example: exampleManager + "m.terms(smt.Int)  # -> (x, 1)", Do: registry.Into(newManager),
		}},
	}
}
