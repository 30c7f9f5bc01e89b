package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxUnusedExports is the share of the exported names that may be without use.
const maxUnusedExports = 0.05

// export is an exported name of a package: a function, type, variable or constant.
type export struct {
	file  string
	needs []string // names of the package without which it is of no use: the types in its declaration, the rest of its enumeration
}

// exports are those of a package by their names.
type exports map[string]*export

// add takes in the exported names of a file.
func (e exports) add(file *ast.File, path string) {
	entry := func(name string) *export {
		if e[name] == nil {
			e[name] = &export{file: path}
		}
		return e[name]
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() {
				continue
			}
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type)
			}
			if ast.IsExported(name) {
				x := entry(name)
				x.needs = append(x.needs, mentioned(d.Type)...)
			}
		case *ast.GenDecl:
			var block []string
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						x := entry(spec.Name.Name)
						x.needs = append(x.needs, mentioned(spec.Type)...)
					}
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						if id.IsExported() {
							x := entry(id.Name)
							if spec.Type != nil {
								x.needs = append(x.needs, mentioned(spec.Type)...)
							}
							block = append(block, id.Name)
						}
					}
				}
			}
			if d.Tok == token.CONST && isEnumeration(d) {
				for _, name := range block {
					e[name].needs = append(e[name].needs, block...)
				}
			}
		}
	}
}

// receiver names the type of a receiver.
func receiver(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// mentioned lists the exported names in a type, those of fields left out that nobody outside can see.
func mentioned(x ast.Expr) (out []string) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if len(n.Names) > 0 && !slices.ContainsFunc(n.Names, (*ast.Ident).IsExported) {
				_, isStruct := x.(*ast.StructType)
				return !isStruct
			}
		case *ast.SelectorExpr:
			return false // of another package
		case *ast.Ident:
			if n.IsExported() {
				out = append(out, n.Name)
			}
		}
		return true
	})
	return out
}

// isEnumeration reports whether constants are numbered: they are used as a whole.
func isEnumeration(d *ast.GenDecl) bool {
	first, ok := d.Specs[0].(*ast.ValueSpec)
	if !ok || len(first.Values) == 0 {
		return false
	}
	found := false
	ast.Inspect(first.Values[0], func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "iota"
		return true
	})
	return found
}

// use marks a name and all that it needs as used, by taking it out.
func (e exports) use(name string) {
	if x := e[name]; x != nil {
		delete(e, name)
		for _, needed := range x.needs {
			e.use(needed)
		}
	}
}

// namedFrom calls used for each name of another package of ours that a file has.
func namedFrom(file *ast.File, packageName map[string]string, used func(pkg, name string)) {
	byName := map[string]string{}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		pkg, ours := strings.CutPrefix(imported, modulePath+"/")
		switch {
		case !ours:
		case spec.Name != nil:
			byName[spec.Name.Name] = pkg
		default:
			byName[packageName[pkg]] = pkg
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && byName[x.Name] != "" {
				used(byName[x.Name], s.Sel.Name)
			}
		}
		return true
	})
}

// TestExportsAreUsed keeps what packages export down to what other packages name, tests included, and to what those
// declarations need: all other names can change without a look at the whole tree.
func TestExportsAreUsed(t *testing.T) {
	fset := token.NewFileSet()
	files := map[string][]*ast.File{} // by folder
	packageName := map[string]string{}
	unusedIn := map[string]exports{}
	for folder, paths := range packageFolders(t) {
		unusedIn[folder] = exports{}
		for _, rel := range paths {
			file, err := parser.ParseFile(fset, filepath.Join("..", "..", filepath.FromSlash(rel)), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files[folder] = append(files[folder], file)
			if !strings.HasSuffix(rel, "_test.go") && file.Name.Name != "main" {
				packageName[folder] = file.Name.Name
				unusedIn[folder].add(file, rel)
			}
		}
	}
	total := 0
	for _, e := range unusedIn {
		total += len(e)
	}
	for folder, all := range files {
		for _, file := range all {
			namedFrom(file, packageName, func(pkg, name string) {
				if pkg != folder {
					unusedIn[pkg].use(name)
				}
			})
		}
	}
	var unused []string
	for _, e := range unusedIn {
		for name, x := range e {
			unused = append(unused, x.file+": "+name)
		}
	}
	slices.Sort(unused)
	share := float64(len(unused)) / float64(total)
	t.Logf("%d of %d exported names are of no use to other packages (%.1f %%)", len(unused), total, 100*share)
	if out := os.Getenv("UNUSED_EXPORTS"); out != "" {
		require.NoError(t, os.WriteFile(out, []byte(strings.Join(unused, "\n")+"\n"), 0o644))
	}
	require.LessOrEqual(t, share, maxUnusedExports, "unexport what only its own package uses:\n%s", strings.Join(unused, "\n"))
}
