package value

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	engine "github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// CorpusModule returns the module and the type corpus. The bundled seeds are the *.smt2 files of library/seeds.
func CorpusModule(library fs.FS) registry.Module {
	return registry.Module{
		Name: "corpus", Doc: "Sources of seeds. A seed is parsed when it is picked; seeds that cannot be parsed are skipped, counted and named in the summary.",
		Types: []*registry.Type{CorpusType},
		Members: []registry.Builtin{
			{Name: "bundled", Doc: "The seeds that come with smtlark: small formulas over all theories.", Ret: "corpus",
				Example: "len(corpus.bundled()) > 50  # -> True\ncorpus.bundled(logic = \"QF_LIA\").pick(rng(1)).logic  # -> \"QF_LIA\"",
				Do: registry.Into(func(c *registry.Call, a *corpusBundledArgs) (starlark.Value, error) {
					all, err := Bundled(library)
					if err != nil {
						return nil, err
					}
					return all.Filter(a.Logic, a.Status), nil
				})},
			{Name: "files", Doc: "Seeds in files: every *.smt2 file below a folder, the files that match a pattern (* and ? within a name, ** across folders), or single files. They are sorted by path.", Ret: "corpus",
				Example: "len(corpus.files(\"seeds/**/*.smt2\"))  # -> 2\nlen(corpus.files(\"seeds\", status = \"sat\"))  # -> 1\nlen(corpus.files(\"seeds\", max_size = 10))  # -> 0", Do: registry.Into(files)},
			{Name: "texts", Doc: "Seeds given as text.", Ret: "corpus",
				Example: "corpus.texts([\"(assert true)(check-sat)\"]).pick(rng(1)).formula  # -> true", Do: registry.Into(texts)},
		},
	}
}

type libSeed struct {
	library fs.FS
	path    string
}

func (l libSeed) Key() string           { return "@std//" + l.path }
func (l libSeed) Name() string          { return "@std//" + l.path }
func (l libSeed) Read() ([]byte, error) { return fs.ReadFile(l.library, l.path) }

// Bundled returns the seeds of the library.
func Bundled(library fs.FS) (*Corpus, error) {
	names, err := fs.Glob(library, "seeds/*.smt2")
	if err != nil {
		return nil, err
	}
	var seeds []engine.Seed
	for _, n := range names {
		seeds = append(seeds, libSeed{library, n})
	}
	return NewCorpus("the bundled seeds", seeds), nil
}

// textsArgs are the arguments of corpus.texts.
type textsArgs struct {
	Texts starlark.Value `type:"list[str] | tuple | dict[str, str]" doc:"scripts, or a dict from names to scripts"`
}

func texts(c *registry.Call, a *textsArgs) (starlark.Value, error) {
	var seeds []engine.Seed
	add := func(name string, v starlark.Value) error {
		text, ok := starlark.AsString(v)
		if !ok {
			return c.Errorf(&a.Texts, "element %s: got %s, want str", name, v.Type())
		}
		seeds = append(seeds, engine.Text{Label: name, Text: text})
		return nil
	}
	if d, isDict := a.Texts.(*starlark.Dict); isDict {
		for _, kv := range d.Items() {
			name, _ := starlark.AsString(kv[0])
			if err := add(name, kv[1]); err != nil {
				return nil, err
			}
		}
	} else {
		for i, v := range registry.Elements(a.Texts) {
			if err := add(fmt.Sprintf("text %d", i), v); err != nil {
				return nil, err
			}
		}
	}
	return NewCorpus("texts in the campaign file", seeds), nil
}

// filesArgs are the arguments of corpus.files.
type filesArgs struct {
	Paths   []starlark.Value `name:"*paths" type:"str | list[str]" doc:"relative to the campaign file"`
	Logic   []string         `type:"str | list[str] | None" default:"None" doc:"only seeds of these logics"`
	Status  []string         `type:"\"sat\" | \"unsat\" | \"unknown\" | None" default:"None" doc:"only seeds with this (set-info :status …), or in a folder of this name where they have none"`
	MaxSize *int64           `default:"None" doc:"only files of at most that size"`
}

func files(c *registry.Call, a *filesArgs) (starlark.Value, error) {
	allowed, err := registry.FilesKey.Get(c.Thread)
	if err != nil {
		return nil, err
	}
	allowed = registry.ForSeeds(allowed)
	replay := registry.ReplayKey.Has(c.Thread)
	var asked []string
	for _, v := range a.Paths {
		if s, ok := starlark.AsString(v); ok {
			asked = append(asked, s)
			continue
		}
		for _, x := range registry.Elements(v) {
			s, _ := starlark.AsString(x)
			asked = append(asked, s)
		}
	}
	if len(asked) == 0 {
		return nil, errors.New("missing argument: a folder, a pattern or a file")
	}
	found := map[string]bool{}
	var broken []finding.BrokenSeed
	for _, p := range asked {
		names, others, err := allowed.List(p)
		// A finding is replayed from its own files, also where its seeds are not.
		if err != nil && !replay {
			return nil, err
		}
		isMeant := func(name string) bool {
			return name == p || strings.ContainsAny(p, "*?[") || strings.HasSuffix(name, ".smt2")
		}
		n := 0
		for _, name := range names {
			if isMeant(name) {
				found[name] = true
				n++
			}
		}
		for _, name := range others {
			if _, err := allowed.Read(name); err != nil && isMeant(name) {
				broken = append(broken, engine.Broken(name, err))
			}
		}
		if n == 0 && !replay {
			return nil, fmt.Errorf("no seed file is found at %s", p)
		}
	}
	names := slices.Sorted(maps.Keys(found))
	seeds := make([]engine.Seed, len(names))
	for i, n := range names {
		seeds[i] = engine.File{Files: allowed, Path: n}
	}
	if a.MaxSize != nil {
		seeds = slices.DeleteFunc(seeds, func(s engine.Seed) bool {
			text, err := s.Read()
			return err == nil && int64(len(text)) > *a.MaxSize // what cannot be read is named as broken later
		})
	}
	return NewCorpus(strings.Join(asked, ", "), seeds, broken...).Filter(a.Logic, a.Status), nil
}

// corpusBundledArgs are the arguments of corpus.bundled.
type corpusBundledArgs struct {
	_      registry.KeywordOnly
	Logic  []string `type:"str | list[str] | None" default:"None" doc:"only seeds of these logics"`
	Status []string `type:"\"sat\" | \"unsat\" | \"unknown\" | None" default:"None" doc:"only seeds with this (set-info :status …), or in a folder of this name where they have none"`
}
