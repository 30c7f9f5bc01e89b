package registry

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// Help is the text of help(name): name is a full name, a module or a type. ok is
// false when nothing has that name; text then suggests the nearest one.
func (r *Registry) Help(name string) (text string, ok bool) {
	if b := r.entries[name]; b != nil && r.module(name) == nil {
		return b.help(), true
	}
	if m := r.module(name); m != nil {
		return m.help(), true
	}
	if t := r.types[name]; t != nil {
		var sb strings.Builder
		fmt.Fprintf(&sb, "type %s\n\n%s\n", t.Name, strings.TrimSpace(t.Doc))
		for i, op := range t.Operators {
			if i == 0 {
				sb.WriteString("\n")
			}
			fmt.Fprintf(&sb, "  %s\n      %s\n", op.usage(), op.Doc)
		}
		listMembers(&sb, t.Members)
		return sb.String(), true
	}
	if b := r.operator(name); b != nil {
		return b.help(), true
	}
	candidates := r.Names()
	for _, m := range r.modules {
		candidates = append(candidates, m.Name)
	}
	text = fmt.Sprintf("nothing is named %q", name)
	if hint := spelling.Nearest(name, candidates); hint != "" {
		text += fmt.Sprintf(" (did you mean %q?)", hint)
	}
	return text, false
}

// operator returns the entry with this SMT-LIB name, or the entry of an operator with this name within its module.
func (r *Registry) operator(name string) *Builtin {
	for i := range r.modules {
		for k := range r.modules[i].Members {
			if b := &r.modules[i].Members[k]; b.SMTLIB != "" && (b.SMTLIB == name || b.Name == name) {
				return b
			}
		}
	}
	return nil
}

func (r *Registry) module(name string) *Module {
	for i := range r.modules {
		if r.modules[i].Name == name && name != "" {
			return &r.modules[i]
		}
	}
	return nil
}

func (m *Module) help() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "module %s\n\n%s\n", m.Name, strings.TrimSpace(m.Doc))
	if m.Call != nil {
		sb.WriteString("\n" + m.Call.help())
	}
	listMembers(&sb, m.Members)
	return sb.String()
}

func listMembers(sb *strings.Builder, members []Builtin) {
	sb.WriteString("\n")
	for i := range members {
		b := &members[i]
		fmt.Fprintf(sb, "  %s\n      %s\n", b.Signature(), b.Summary())
	}
}

func (b *Builtin) help() string {
	var sb strings.Builder
	sb.WriteString(b.Signature())
	if b.Ret != "" {
		t, _ := ParseType(b.Ret)
		sb.WriteString(" -> " + t.String())
	}
	sb.WriteString("\n\n" + strings.TrimSpace(b.Doc) + "\n")
	if shown := b.shownParams(); len(shown) > 0 {
		sb.WriteString("\n")
		for _, p := range shown {
			t, _ := ParseType(p.Type)
			fmt.Fprintf(&sb, "  %s: %s", p.Name, t)
			if p.Default != "" {
				fmt.Fprintf(&sb, " = %s", p.Default)
			}
			if p.Doc != "" {
				fmt.Fprintf(&sb, "\n      %s", p.Doc)
			}
			sb.WriteString("\n")
		}
	}
	if b.Example != "" {
		sb.WriteString("\nExample:\n")
		for _, line := range strings.Split(strings.TrimSpace(b.Example), "\n") {
			sb.WriteString(strings.TrimRight("  "+line, " ") + "\n")
		}
	}
	return sb.String()
}

func (b *Builtin) shownParams() (ps []Param) {
	for _, p := range b.Parameters() {
		if p.Name != "*" {
			ps = append(ps, p)
		}
	}
	return ps
}

// nameOf finds what help(x) is about.
func nameOf(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.String:
		return string(v)
	case *moduleValue:
		return v.name
	case *callableModule:
		return v.name
	case *starlark.Builtin:
		return v.Name()
	}
	return v.Type()
}

// helpArgs are the arguments of help.
type helpArgs struct {
	What starlark.Value `type:"any" default:"None" doc:"a function, module, value, or a name as a string; None lists everything"`
}

func (r *Registry) helpBuiltin() starlark.Value {
	b := &Builtin{
		Name: "help",
		Doc:  "Prints the documentation of a builtin, a module or a value's type, or the docstring of a function.",
		Example: `help(rng)
help("rng.pick")`,
		Do: Into(func(c *Call, a *helpArgs) (starlark.Value, error) {
			text := r.overview()
			if a.What != starlark.None {
				var ok bool
				if f, isFn := a.What.(*starlark.Function); isFn {
					text, ok = f.Name()+"\n\n"+strings.TrimSpace(f.Doc())+"\n", true
				} else if text, ok = r.Help(nameOf(a.What)); !ok {
					return nil, fmt.Errorf("%s", text)
				}
			}
			text = strings.TrimRight(text, "\n")
			if c.Thread.Print != nil {
				c.Thread.Print(c.Thread, text)
			} else {
				fmt.Println(text)
			}
			return starlark.None, nil
		}),
	}
	if err := b.prepare(); err != nil {
		panic(err)
	}
	r.entries["help"] = b
	r.modules = append(r.modules, Module{Members: []Builtin{*b}})
	return b.impl
}

func (r *Registry) overview() string {
	var sb strings.Builder
	sb.WriteString("Modules:\n")
	for _, m := range r.modules {
		if m.Name != "" {
			fmt.Fprintf(&sb, "  %-10s %s\n", m.Name, firstSentence(m.Doc))
		}
	}
	sb.WriteString("Functions:\n")
	for _, name := range r.Names() {
		if b := r.entries[name]; b.Module == "" && b.Recv == "" && b.IsCall() {
			fmt.Fprintf(&sb, "  %-10s %s\n", b.Name, b.Summary())
		}
	}
	sb.WriteString("help(NAME) tells more, for example help(smt) or help(\"rng.pick\").\n")
	return sb.String()
}
