package solving

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
)

// profile is a solver profile as scripts see it.
type profile struct {
	registry.Object[*profile]

	P    *solvers.Profile
	expr string // the call that made it
}

func (p *profile) String() string        { return fmt.Sprintf("<profile %s>", p.P.Name) }
func (p *profile) Hash() (uint32, error) { return starlark.String(p.P.Name).Hash() }

// Attr implements starlark.HasAttrs.
func (p *profile) Attr(name string) (starlark.Value, error) { return profileType.Attr(p, name) }

var profileType = registry.NewType[*profile]("profile", "The description of a kind of solver: how to find it, how to call it, what its messages mean.", []registry.Builtin{
	{
		Name: "name", Doc: "The name of the kind of solver.", Ret: "str",
		Example: `solver.profile(name = "mine", binaries = ["mine"]).name  # -> "mine"`,
		Get:     func(v starlark.Value) (starlark.Value, error) { return starlark.String(v.(*profile).P.Name), nil },
	},
	{
		Name: "modes", Doc: "The modes it can be used in.", Ret: "list[str]",
		Example: `solver.profile(name = "mine", binaries = ["mine"]).modes  # -> ["fresh"]`,
		Get: func(v starlark.Value) (starlark.Value, error) {
			var out []starlark.Value
			for _, m := range v.(*profile).P.ModeList() {
				out = append(out, starlark.String(m))
			}
			return starlark.NewList(out), nil
		},
	},
})

// newProfile makes a profile from keyword arguments.
func newProfile(kwargs map[string]starlark.Value, known []*solvers.Profile) (*profile, error) {
	m := make(map[string]any, len(kwargs))
	for k, v := range kwargs {
		x, err := plain(v)
		if err != nil {
			return nil, fmt.Errorf("for keyword %s: %w", k, err)
		}
		m[k] = x
	}
	p, err := solvers.ProfileFromMap(m, known...)
	if err != nil {
		return nil, err
	}
	return &profile{P: p, expr: profileExpr(kwargs)}, nil
}

// basesFor returns the profiles to search for a profile's base: reading all profiles of the library takes as long as a
// small case.
func basesFor(supply *catalogue.Catalogue, base starlark.Value) ([]*solvers.Profile, error) {
	if base == nil {
		return nil, nil
	}
	name, err := plain(base)
	if err != nil {
		return supply.Profiles()
	}
	if text, is := name.(string); is {
		if one, err := supply.Kind(text); err != nil || one != nil {
			return []*solvers.Profile{one}, err
		}
	}
	return supply.Profiles()
}

// plain converts a value of a script to a value that ProfileFromMap accepts.
func plain(v starlark.Value) (any, error) {
	switch v := v.(type) {
	case starlark.String:
		return string(v), nil
	case starlark.Bool:
		return bool(v), nil
	case *profile:
		return v.P.Name, nil
	case *action:
		return v.a, nil
	case *RuleValue:
		return v.Element, nil
	case *starlark.Dict:
		out := map[string]any{}
		for _, kv := range v.Items() {
			k, ok := starlark.AsString(kv[0])
			if !ok {
				k = kv[0].String()
			}
			x, err := plain(kv[1])
			if err != nil {
				return nil, fmt.Errorf("value of %s: %w", kv[0].String(), err)
			}
			out[k] = x
		}
		return out, nil
	case starlark.Iterable:
		var out []any
		it := v.Iterate()
		defer it.Done()
		var x starlark.Value
		for i := 0; it.Next(&x); i++ {
			e, err := plain(x)
			if err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
			out = append(out, e)
		}
		if out == nil {
			out = []any{}
		}
		return out, nil
	}
	return nil, fmt.Errorf("got %s, want a string, a bool, a list of strings, of rules or of actions, or a dict of strings", v.Type())
}

// maxProfileSteps bounds a file of profiles, which computes next to nothing.
const maxProfileSteps = 1 << 20

// profileFiles reads files of profiles, each once.
type profileFiles struct {
	library fs.FS
	made    map[string][]*solvers.Profile // by the names of their files
}

// newProfileFiles returns what reads the profile files solvers/*.star of a library.
func newProfileFiles(library fs.FS) *profileFiles {
	return &profileFiles{library: library, made: map[string][]*solvers.Profile{}}
}

// profileName finds the names of kinds of solvers in a file of profiles.
var profileName = pattern.Lazy(`\bname = "([^"]+)"`)

// load runs profile files, in the order of their names, and returns the profiles they define: those of the library that
// a solver of a name may have, "" for all, and those of more files, given by their paths on disk. Such a file is an
// ordinary module whose globals are profiles:
//
//	mine = solver.profile(name = "mine", binaries = ["mine"], ...)
//
// Within the files, base may name a profile of a file before.
func (r *profileFiles) load(solver string, more ...string) ([]*solvers.Profile, error) {
	library := r.library
	files, err := fs.Glob(library, "solvers/*.star")
	if err != nil {
		return nil, err
	}
	type source struct {
		name string
		text []byte
	}
	var sources []source
	for _, file := range files {
		text, err := fs.ReadFile(library, file)
		if err != nil {
			return nil, err
		}
		if solver == "" || slices.ContainsFunc(profileName().FindAllSubmatch(text, -1), func(m [][]byte) bool { return catalogue.IsOfKind(solver, string(m[1])) }) {
			sources = append(sources, source{"@std//" + file, text})
		}
	}
	for _, file := range more {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source{file, text})
	}
	var known []*solvers.Profile
	define := starlark.NewBuiltin("solver.profile", func(th *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args) > 0 {
			return nil, fmt.Errorf("%s: takes keyword arguments only", b.Name())
		}
		m := map[string]starlark.Value{}
		for _, kv := range kwargs {
			m[string(kv[0].(starlark.String))] = kv[1]
		}
		p, err := newProfile(m, known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		for _, k := range known {
			if k.Name == p.P.Name {
				return nil, fmt.Errorf("%s: there is a kind of solver %q already; give this one another name, and base = %q", b.Name(), k.Name, k.Name)
			}
		}
		known = append(known, p.P)
		return p, nil
	})
	members, err := inProfileFiles()
	if err != nil {
		return nil, err
	}
	members["profile"] = define
	env := starlark.StringDict{
		"solver": starlarkstruct.FromStringDict(starlark.String("module"), members),
	}
	for _, src := range sources {
		if made, ok := r.made[src.name]; ok {
			known = append(known, made...)
			continue
		}
		before := len(known)
		th := &starlark.Thread{Name: src.name}
		// A profile that never ends would hold up every command.
		th.SetMaxExecutionSteps(maxProfileSteps)
		if _, err := starlark.ExecFileOptions(registry.Dialect(), th, src.name, src.text, env); err != nil {
			if ev, ok := err.(*starlark.EvalError); ok {
				return nil, fmt.Errorf("%s", ev.Backtrace())
			}
			return nil, err
		}
		r.made[src.name] = slices.Clone(known[before:])
	}
	return known, nil
}

// keywords returns the keyword arguments of a call.
func keywords(d *starlark.Dict) map[string]starlark.Value {
	m := map[string]starlark.Value{}
	for _, kv := range d.Items() {
		m[string(kv[0].(starlark.String))] = kv[1]
	}
	return m
}

// fieldDoc lists the keywords of a profile for the reference.
func fieldDoc() string {
	doc := ""
	for _, f := range solvers.ProfileFields() {
		doc += fmt.Sprintf("\n- `%s` (%s): %s", f.Name, f.Type, f.Doc)
	}
	return doc
}

// names returns the sorted names of profiles.
func names(ps []*solvers.Profile) []string {
	set := map[string]bool{}
	for _, p := range ps {
		set[p.Name] = true
	}
	return slices.Sorted(maps.Keys(set))
}
