package registry

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// Library is one module of the library that campaign files load: its functions as entries, made of their definitions
// and docstrings, and the names of its other values.
type Library struct {
	Name    string // as load takes it: "@std//storm.star"
	Doc     string
	Members []Builtin
	Values  []string
}

// Lookup returns a function of the module, or nil.
func (l *Library) Lookup(name string) *Builtin {
	for i := range l.Members {
		if l.Members[i].Name == name {
			return &l.Members[i]
		}
	}
	return nil
}

// Libraries reads the modules *.star of a library. A function counts if it has a docstring and its name begins neither
// with _ nor with test_.
func Libraries(library fs.FS) ([]Library, error) {
	files, err := fs.Glob(library, "*.star")
	if err != nil {
		return nil, err
	}
	var out []Library
	for _, file := range files {
		text, err := fs.ReadFile(library, file)
		if err != nil {
			return nil, err
		}
		l, err := ParseLibrary("@std//"+file, text)
		if err != nil {
			return nil, err
		}
		if len(l.Members)+len(l.Values) > 0 {
			out = append(out, l)
		}
	}
	return out, nil
}

// ParseLibrary reads one module.
func ParseLibrary(name string, text []byte) (Library, error) {
	f, err := Dialect().Parse(path.Base(name), text, 0)
	if err != nil {
		return Library{}, err
	}
	l := Library{Name: name, Doc: docstringOf(f.Stmts)}
	for _, stmt := range f.Stmts {
		if assign, ok := stmt.(*syntax.AssignStmt); ok {
			if id, ok := assign.LHS.(*syntax.Ident); ok && !strings.HasPrefix(id.Name, "_") {
				l.Values = append(l.Values, id.Name)
			}
			continue
		}
		def, ok := stmt.(*syntax.DefStmt)
		if !ok || strings.HasPrefix(def.Name.Name, "_") || strings.HasPrefix(def.Name.Name, "test_") {
			continue
		}
		if doc := docstringOf(def.Body); doc != "" {
			b, err := functionEntry(def, doc, string(text))
			if err != nil {
				return l, fmt.Errorf("%s: %w", name, err)
			}
			l.Members = append(l.Members, b)
		}
	}
	return l, nil
}

// docstringOf returns the docstring at the start of a body, without the common indentation of its lines.
func docstringOf(body []syntax.Stmt) string {
	if len(body) == 0 {
		return ""
	}
	stmt, ok := body[0].(*syntax.ExprStmt)
	if !ok {
		return ""
	}
	lit, ok := stmt.X.(*syntax.Literal)
	if !ok || lit.Token != syntax.STRING {
		return ""
	}
	text, _ := lit.Value.(string)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	least := len(text)
	for _, line := range lines[1:] {
		if trimmed := strings.TrimLeft(line, " "); trimmed != "" {
			least = min(least, len(line)-len(trimmed))
		}
	}
	for i, line := range lines[1:] {
		lines[i+1] = strings.TrimRight(line[min(least, len(line)):], " ")
	}
	return strings.Join(lines, "\n")
}

// functionEntry makes an entry of a function with a docstring whose sections are Args: and Returns:.
func functionEntry(def *syntax.DefStmt, doc, source string) (Builtin, error) {
	text, args, returns := docSections(doc)
	b := Builtin{Name: def.Name.Name, Doc: text, Ret: returnType(returns), Fn: func(*Call) (starlark.Value, error) { return nil, nil }}
	if returns != "" {
		b.Doc += "\n\nReturns " + returns
	}
	for _, p := range def.Params {
		q := Param{}
		switch p := p.(type) {
		case *syntax.Ident:
			q.Name = p.Name
		case *syntax.BinaryExpr:
			q.Name = p.X.(*syntax.Ident).Name
			start, end := p.Y.Span()
			q.Shown = strings.Join(strings.Fields(between(source, start, end)), " ")
			q.Default = "None"
		case *syntax.UnaryExpr:
			q.Name = p.Op.String()
			if id, ok := p.X.(*syntax.Ident); ok {
				q.Name += id.Name
			}
		}
		q.Doc = args[strings.TrimLeft(q.Name, "*")]
		b.Params = append(b.Params, q)
	}
	if b.Params == nil {
		b.Params = []Param{}
	}
	if err := b.prepare(); err != nil {
		return b, err
	}
	_, err := b.readParams()
	return b, err
}

// between is the source text from one place to another.
func between(source string, start, end syntax.Position) string {
	lines := strings.SplitAfter(source, "\n")
	at := func(p syntax.Position) int {
		n := 0
		for _, l := range lines[:p.Line-1] {
			n += len(l)
		}
		return n + len(string([]rune(lines[p.Line-1])[:p.Col-1]))
	}
	return source[at(start):at(end)]
}

var argument = pattern.Lazy(`^  (\w+): (.*)$`)

// docSections splits a docstring.
func docSections(doc string) (text string, args map[string]string, returns string) {
	args = map[string]string{}
	section, last := "", ""
	for _, line := range strings.Split(doc, "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case line == "Args:" || line == "Returns:":
			section = line
		case section == "":
			text += line + "\n"
		case section == "Returns:":
			returns = strings.TrimSpace(returns + " " + trimmed)
		default:
			if m := argument().FindStringSubmatch(line); m != nil {
				last = m[1]
				args[last] = m[2]
			} else if last != "" && trimmed != "" {
				args[last] += " " + trimmed
			}
		}
	}
	for name, doc := range args {
		args[name] = strings.TrimSuffix(doc, ".")
	}
	return strings.TrimSpace(text), args, returns
}

// returnType returns the type that the Returns section of a docstring describes.
func returnType(returns string) string {
	for begin, typ := range map[string]string{
		"a function of (seeds, rng)": "callable(seeds: corpus, rng) -> case", "a function of (case, fails)": "callable(case, fails: callable(case) -> bool) -> case",
		"an oracle": "oracle", "a bool": "bool", "a machine": "machine", "a case": "case",
	} {
		if strings.HasPrefix(returns, begin) {
			return typ
		}
	}
	return "any"
}
