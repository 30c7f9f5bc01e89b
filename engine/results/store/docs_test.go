package store_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// docs/files.md names every field of finding.json and stats.json, and store.RunLog every event.
func TestFormatsAreDocumented(t *testing.T) {
	page := read(t, "../../../docs/files.md")
	found, run, ok := strings.Cut(page, "## A run")
	require.True(t, ok)
	var check func(section string, typ reflect.Type)
	type place struct {
		section string
		typ     reflect.Type
	}
	seen := map[place]bool{} // a condition of Stop has conditions
	check = func(section string, typ reflect.Type) {
		if seen[place{section, typ}] {
			return
		}
		seen[place{section, typ}] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct { // its fields are those of what it is part of
				check(section, f.Type)
				continue
			}
			if name == "" || name == "-" {
				continue
			}
			require.Contains(t, section, "`"+name+"`", "%s.%s", typ, f.Name)
			elem := f.Type
			for elem.Kind() == reflect.Slice || elem.Kind() == reflect.Pointer {
				elem = elem.Elem()
			}
			if elem == reflect.TypeFor[finding.Inputs]() { // in the database only
				continue
			}
			if elem.Kind() == reflect.Struct && (strings.Contains(elem.PkgPath(), "engine/campaign") || strings.Contains(elem.PkgPath(), "engine/judge/finding")) {
				check(section, elem)
			}
		}
	}
	check(found, reflect.TypeFor[folder.Record]())
	check(run, reflect.TypeFor[metrics.Stats]())
}

func TestEventsAreDocumented(t *testing.T) {
	list := read(t, "run.go")
	names := regexp.MustCompile(`\.logEvent\("([a-z-]+)"`)
	files, err := os.ReadDir("../../campaign/coordinator")
	require.NoError(t, err)
	found := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") {
			continue
		}
		for _, m := range names.FindAllStringSubmatch(read(t, "../../campaign/coordinator", f.Name()), -1) {
			found++
			require.Regexp(t, `(?m)^//\t`+m[1]+`\b`, list)
		}
	}
	require.Greater(t, found, 10)
}
