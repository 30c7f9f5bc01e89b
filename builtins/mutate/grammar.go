package mutate

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	engine "github.com/smtlark/smtlark/engine/generate/mutate"
)

// grammar is a grammar in a script. What it counts is remembered, so it belongs to one thread at a time: frozen ones are
// compiled again where they are used.
type grammar struct {
	registry.Object[*grammar]

	names  []string
	rules  [][]string
	g      *engine.Grammar
	frozen bool
}

func (g *grammar) String() string { return fmt.Sprintf("<grammar of %s>", g.names[0]) }
func (g *grammar) Freeze()        { g.frozen = true }

// Attr implements starlark.HasAttrs.
func (g *grammar) Attr(name string) (starlark.Value, error) { return grammarType.Attr(g, name) }

// grammars is where a thread keeps what it compiled of frozen grammars.
var grammars = registry.NewKey[map[*grammar]*engine.Grammar]("grammars", "this thread has none")

// compiledFor returns the compiled grammar for a thread.
func (g *grammar) compiledFor(th *starlark.Thread) (*engine.Grammar, error) {
	if !g.frozen {
		return g.g, nil
	}
	known, err := grammars.Get(th)
	if err != nil {
		known = map[*grammar]*engine.Grammar{}
		grammars.Set(th, known)
	}
	if known[g] == nil {
		if known[g], err = engine.NewGrammar(g.names, g.rules); err != nil {
			return nil, err
		}
	}
	return known[g], nil
}

const grammarExample = "g = mutate.grammar({\"B\": [\"(not B)\", \"(and B B)\", \"p\", \"q\"]})\n"

var grammarType = registry.NewType[*grammar]("grammar", "A context-free grammar whose texts are enumerated by size, the number of rules used.", []registry.Builtin{
	{Name: "at", Doc: "Text number n, from 0, small ones first; None when there are no more.",
		Params: []registry.Param{{Name: "n", Type: "int"}}, Ret: "str | None",
		Example: grammarExample + "[g.at(i) for i in range(5)]  # -> [\"p\", \"q\", \"(not p)\", \"(not q)\", \"(not (not p))\"]",
		Do: registry.Method(func(c *registry.Call, recv *grammar, a *grammarAtArgs) (starlark.Value, error) {
			g, err := recv.compiledFor(c.Thread)
			if err != nil {
				return nil, err
			}
			if a.N < 0 {
				return nil, c.Errorf(&a.N, "%d is below 0", a.N)
			}
			text, _, ok := g.At(uint64(a.N))
			if !ok {
				return starlark.None, nil
			}
			return starlark.String(text), nil
		})},
	{Name: "count", Doc: "The number of texts of a size, at most 2^63.",
		Params: []registry.Param{{Name: "size", Type: "int", Doc: "1 to 4096"}}, Ret: "int",
		Example: grammarExample + "[g.count(k) for k in range(1, 4)]  # -> [2, 2, 6]",
		Do: registry.Method(func(c *registry.Call, recv *grammar, a *grammarCountArgs) (starlark.Value, error) {
			g, err := recv.compiledFor(c.Thread)
			if err != nil {
				return nil, err
			}
			if n := a.Size; n < 1 || n > 4096 {
				return nil, c.Errorf(&a.Size, "%d is not between 1 and 4096", n)
			}
			return starlark.MakeUint64(g.Count(a.Size)), nil
		})},
})

// newGrammarArgs are the arguments of mutate.grammar.
type newGrammarArgs struct {
	Rules *starlark.Dict
}

func newGrammar(c *registry.Call, a *newGrammarArgs) (starlark.Value, error) {
	g := &grammar{}
	for _, kv := range a.Rules.Items() {
		name, _ := starlark.AsString(kv[0])
		var rules []string
		it := starlark.Iterate(kv[1])
		if it == nil {
			return nil, c.Errorf(&a.Rules, "%s: got %s, want a list of alternatives", name, kv[1].Type())
		}
		var x starlark.Value
		for it.Next(&x) {
			text, ok := starlark.AsString(x)
			if !ok {
				it.Done()
				return nil, c.Errorf(&a.Rules, "%s: got %s, want str", name, x.Type())
			}
			rules = append(rules, text)
		}
		it.Done()
		g.names, g.rules = append(g.names, name), append(g.rules, rules)
	}
	if len(g.names) == 0 {
		return nil, c.Errorf(&a.Rules, "no nonterminal")
	}
	var err error
	if g.g, err = engine.NewGrammar(g.names, g.rules); err != nil {
		return nil, c.Errorf(&a.Rules, "%v", err)
	}
	return g, nil
}

// grammarCountArgs are the arguments of grammar.count.
type grammarCountArgs struct {
	Size int
}

// grammarAtArgs are the arguments of grammar.at.
type grammarAtArgs struct {
	N int
}
