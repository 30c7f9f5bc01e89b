package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/results/report"
)

// strictSchemas compiles the published schemas. Readers should accept new fields, but this test should not: a field
// that is written but not described is a mistake.
func strictSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	out := map[string]*jsonschema.Schema{}
	for _, f := range report.Schemas() {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(f.Data))
		require.NoError(t, err)
		closed(doc)
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		require.NoError(t, c.AddResource(f.Path, doc))
		name := filepath.Base(f.Path)
		out[name[:len(name)-len(".json")]], err = c.Compile(f.Path)
		require.NoError(t, err, f.Path)
	}
	return out
}

// closed forbids properties that are not described.
func closed(x any) {
	switch x := x.(type) {
	case map[string]any:
		if _, ok := x["properties"].(map[string]any); ok && x["type"] == "object" {
			x["additionalProperties"] = false
		}
		for _, v := range x {
			closed(v)
		}
	case []any:
		for _, v := range x {
			closed(v)
		}
	}
}

// TestSchemas runs campaigns and checks their output against docs/schema: "valid SCHEMA FILES" checks each file, or
// each line of a .jsonl file.
func TestSchemas(t *testing.T) {
	schemas := strictSchemas(t)
	valid := func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 2 || schemas[args[0]] == nil {
			ts.Fatalf("usage: valid SCHEMA FILES")
		}
		files, err := filepath.Glob(ts.MkAbs(args[1]))
		ts.Check(err)
		n := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			ts.Check(err)
			docs := [][]byte{text}
			if filepath.Ext(file) == ".jsonl" {
				docs = bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
			}
			for i, d := range docs {
				v, err := jsonschema.UnmarshalJSON(bytes.NewReader(d))
				ts.Check(err)
				if err := schemas[args[0]].Validate(v); err != nil {
					ts.Fatalf("%s, document %d: %v\n%s", file, i+1, err, d)
				}
				n++
			}
		}
		if n == 0 {
			ts.Fatalf("no file matches %s", args[1])
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/schema", RequireExplicitExec: true, Cmds: map[string]func(*testscript.TestScript, bool, []string){"valid": valid},
		Setup: project,
	})
}

// TestSchemasSayNo checks the check.
func TestSchemasSayNo(t *testing.T) {
	schemas := strictSchemas(t)
	for name, bad := range map[string][]string{
		"event": {
			`{}`, `{"event":"stop","time":"2026-01-01T00:00:00Z"}`, `{"event":"stop","time":"yesterday","reason":"x"}`, `{"event":"what","time":"2026-01-01T00:00:00Z"}`,
			`{"event":"stop","time":"2026-01-01T00:00:00Z","reason":1}`, `{"event":"stop","time":"2026-01-01T00:00:00Z","reason":"x","more":1}`,
		},
		"stats": {`{}`, `[]`}, "report": {`{"version":1}`}, "compare": {`{"version":"1"}`},
	} {
		for _, text := range bad {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
			require.NoError(t, err)
			require.Error(t, schemas[name].Validate(v), "%s: %s", name, text)
		}
	}
	good, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(`{"event":"stop","time":"2026-01-01T00:00:00Z","reason":"x"}`)))
	require.NoError(t, err)
	require.NoError(t, schemas["event"].Validate(good))
}
