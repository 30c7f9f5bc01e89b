package value

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	engine "github.com/smtlark/smtlark/engine/generate/mutate"
)

// Grammar is a grammar in a script. It caches its counts, so only one thread at a time may use it: frozen grammars are
// compiled again by each thread that uses them.
type Grammar struct {
	registry.Object[*Grammar]

	name   string
	again  func() (*engine.Grammar, error) // compiles it
	g      *engine.Grammar
	frozen bool
}

func (g *Grammar) String() string { return fmt.Sprintf("<grammar of %s>", g.name) }
func (g *Grammar) Freeze()        { g.frozen = true }

// Attr implements starlark.HasAttrs.
func (g *Grammar) Attr(name string) (starlark.Value, error) { return GrammarType.Attr(g, name) }

// grammars caches the compiled forms of frozen grammars, for each thread.
var grammars = registry.NewKey[map[*Grammar]*engine.Grammar]("grammars", "this thread has none")

// compiledFor returns the compiled grammar for a thread.
func (g *Grammar) compiledFor(th *starlark.Thread) (*engine.Grammar, error) {
	if !g.frozen {
		return g.g, nil
	}
	known, err := grammars.Get(th)
	if err != nil {
		known = map[*Grammar]*engine.Grammar{}
		grammars.Set(th, known)
	}
	if known[g] == nil {
		if known[g], err = g.again(); err != nil {
			return nil, err
		}
	}
	return known[g], nil
}

// GrammarExample makes a grammar g.
const GrammarExample = "g = mutate.grammar({\"B\": [\"(not B)\", \"(and B B)\", \"p\", \"q\"]})\n"

// GrammarType describes the methods of grammars.
var GrammarType = registry.NewType[*Grammar]("grammar", "A context-free grammar whose texts are enumerated by size, that is, by the number of rules used.", []registry.Builtin{
	{Name: "at", Doc: "Text number n (from 0) in order of size; None if there are no more texts.",
		Ret:     "str | None",
		Example: GrammarExample + "[g.at(i) for i in range(5)]  # -> [\"p\", \"q\", \"(not p)\", \"(not q)\", \"(not (not p))\"]",
		Do: registry.Method(func(c *registry.Call, recv *Grammar, a *grammarAtArgs) (starlark.Value, error) {
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
	{Name: "random", Doc: "A random text made with about size rules, or with as few as a text needs if that is more.",
		Ret:     "str",
		Example: "g = gen.grammar('set = \"(\" \"set.insert\" Int { Int } set \")\" | \"S\" ;')\n\"S\" in g.random(rng(7), fill = lambda name: \"x\")  # -> True",
		Do:      registry.Method(randomText)},
	{Name: "open", Doc: "The names of nonterminals that have no rule.", Ret: "tuple[str, ...]",
		Example: "gen.grammar('f = \"(\" \"p\" Int String \")\" ;').open  # -> (\"Int\", \"String\")",
		Get: func(v starlark.Value) (starlark.Value, error) {
			var out starlark.Tuple
			for _, name := range v.(*Grammar).g.Open() {
				out = append(out, starlark.String(name))
			}
			return out, nil
		}},
	{Name: "count", Doc: "The number of texts of a size, at most 2^63.",
		Ret:     "int",
		Example: GrammarExample + "[g.count(k) for k in range(1, 4)]  # -> [2, 2, 6]",
		Do: registry.Method(func(c *registry.Call, recv *Grammar, a *grammarCountArgs) (starlark.Value, error) {
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

// GrammarArgs are the arguments of mutate.grammar.
type GrammarArgs struct {
	Rules *starlark.Dict `type:"dict[str, list]"`
}

// NewGrammar makes a grammar of alternatives by nonterminal.
func NewGrammar(c *registry.Call, a *GrammarArgs) (starlark.Value, error) {
	var names []string
	var rules [][]string
	for _, kv := range a.Rules.Items() {
		name, _ := starlark.AsString(kv[0])
		var alternatives []string
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
			alternatives = append(alternatives, text)
		}
		it.Done()
		names, rules = append(names, name), append(rules, alternatives)
	}
	if len(names) == 0 {
		return nil, c.Errorf(&a.Rules, "no nonterminal")
	}
	g, err := compiledGrammar(names[0], func() (*engine.Grammar, error) { return engine.NewGrammar(names, rules) })
	if err != nil {
		return nil, c.Errorf(&a.Rules, "%v", err)
	}
	return g, nil
}

// EBNFArgs are the arguments of gen.grammar.
type EBNFArgs struct {
	Source string `doc:"the name of a file, relative to the campaign file, or the text of a grammar"`
}

// ReadGrammar makes a grammar of EBNF, in a file or as it is.
func ReadGrammar(c *registry.Call, a *EBNFArgs) (starlark.Value, error) {
	name, text := "grammar", a.Source
	if !strings.Contains(text, "=") { // no rule is without
		files, err := registry.FilesKey.Get(c.Thread)
		if err != nil {
			return nil, err
		}
		read, err := files.Read(a.Source)
		if err != nil {
			return nil, err
		}
		name, text = a.Source, string(read)
	}
	g, err := compiledGrammar(name, func() (*engine.Grammar, error) { return engine.ReadGrammar(name, text) })
	if err != nil {
		return nil, c.Errorf(&a.Source, "%v", err)
	}
	return g, nil
}

func compiledGrammar(name string, compile func() (*engine.Grammar, error)) (*Grammar, error) {
	g, err := compile()
	if err != nil {
		return nil, err
	}
	return &Grammar{name: name, again: compile, g: g}, nil
}

// grammarRandomArgs are the arguments of grammar.random.
type grammarRandomArgs struct {
	Rng  *Rng
	Size int `default:"20" doc:"1 to 4096"`
	_    registry.KeywordOnly
	Fill starlark.Callable `type:"callable(str) -> any | None" default:"None" doc:"a function that gets the name of a nonterminal without a rule and returns a term or a text for it"`
}

func randomText(c *registry.Call, recv *Grammar, a *grammarRandomArgs) (starlark.Value, error) {
	g, err := recv.compiledFor(c.Thread)
	if err != nil {
		return nil, err
	}
	src, err := a.Rng.Source()
	if err != nil {
		return nil, err
	}
	if a.Size < 1 || a.Size > 4096 {
		return nil, c.Errorf(&a.Size, "%d is not between 1 and 4096", a.Size)
	}
	if open := g.Open(); len(open) > 0 && a.Fill == nil {
		return nil, c.Errorf(&a.Fill, "%s has no rule: say what stands for it", open[0])
	}
	text, err := g.Random(src, a.Size, func(name string) (string, error) {
		v, err := registry.Invoke(c.Thread, a.Fill, starlark.String(name))
		if err != nil {
			return "", err
		}
		if t, ok := v.(Term); ok {
			return t.String(), nil
		}
		text, ok := starlark.AsString(v)
		if !ok {
			return "", c.Errorf(&a.Fill, "it returned %s for %s, want a term or a str", v.Type(), name)
		}
		return text, nil
	})
	if err != nil {
		return nil, err
	}
	return starlark.String(text), nil
}

// grammarCountArgs are the arguments of grammar.count.
type grammarCountArgs struct {
	Size int `doc:"1 to 4096"`
}

// grammarAtArgs are the arguments of grammar.at.
type grammarAtArgs struct{ N int }
