package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostHomes is the number of packages in which the name of an exported type may stand: a name with three meanings
// makes readers ask which one is meant, and searches find all of them.
const mostHomes = 2

// An exported type has a name of its own, or shares it with one other package at most.
func TestTypeNames(t *testing.T) {
	homes := map[string]map[string]bool{}
	for pkg, files := range packageFolders(t) {
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", file), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, name := range exportedTypes(parsed) {
				if homes[name] == nil {
					homes[name] = map[string]bool{}
				}
				homes[name][pkg] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(homes)) {
		packages := slices.Sorted(maps.Keys(homes[name]))
		if len(packages) > mostHomes {
			t.Errorf("the type %s is in %s: give one of them a name that says more", name, strings.Join(packages, ", "))
		}
	}
}

// exportedTypes lists the exported types that a file declares.
func exportedTypes(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			if declared, ok := spec.(*ast.TypeSpec); ok && declared.Name.IsExported() {
				names = append(names, declared.Name.Name)
			}
		}
	}
	return names
}
