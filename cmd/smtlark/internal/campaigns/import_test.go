package campaigns

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

func TestWhatAReportIsAbout(t *testing.T) {
	for text, want := range map[string]knownReport{
		"; https://github.com/Z3Prover/z3/issues/10544\n; z3 5.1.0\n(check-sat)":                {address: "https://github.com/Z3Prover/z3/issues/10544", kind: "z3", version: "5.1.0"},
		"(set-info :source |see https://example.org/1, cvc5-1.3.2|)\n(assert true); z3 4.8.5\n": {address: "https://example.org/1", kind: "cvc5", version: "1.3.2"},
		"; Bitwuzla v0.8.2 aborts\n\n(check-sat)":                                               {kind: "bitwuzla", version: "0.8.2"},
		"; yices2@2.6.5":                   {kind: "yices2", version: "2.6.5"},
		"(check-sat)\n; z3 4.8.5":          {},
		"; (https://example.org/z3/1.2.3)": {address: "https://example.org/z3/1.2.3"},
		"":                                 {},
	} {
		var r knownReport
		r.readHead(text)
		require.Equal(t, want, r, text)
	}
}

// Reports come from an address, too, and from an archive, of which nothing is written outside of the folder.
func TestReportsFromAnAddress(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, f := range [][2]string{{"../../one.smt2", "; z3 4.8.5\n(check-sat)"}, {"a/one.smt2", "(exit)"}, {"a/read.me", "no"}, {"/b/two.smt2", "; https://example.org/2"}} {
		w, err := z.Create(f[0])
		require.NoError(t, err)
		_, err = w.Write([]byte(f[1]))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/all.zip":
			_, _ = w.Write(archive.Bytes())
		case "/bad.zip":
			_, _ = w.Write([]byte("PK"))
		case "/x/case.smt2":
			_, _ = w.Write([]byte("(check-sat)"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	out := t.TempDir()
	all, err := reportsOf(context.Background(), &command.Env{Stderr: io.Discard}, out, server.URL+"/all.zip")
	require.NoError(t, err)
	var names []string
	for _, r := range all {
		name, err := filepath.Rel(out, r.file)
		require.NoError(t, err)
		names = append(names, filepath.Base(name))
		require.Regexp(t, `^reports/all-[0-9a-f]{8}/`, filepath.ToSlash(name))
	}
	require.Equal(t, []string{"one.smt2", "one-2.smt2", "two.smt2"}, names)
	require.Equal(t, "4.8.5", all[0].version)
	require.Equal(t, "https://example.org/2", all[2].address)
	one, err := reportsOf(context.Background(), &command.Env{Stderr: io.Discard}, out, server.URL+"/x/case.smt2?raw=1")
	require.NoError(t, err)
	require.Equal(t, server.URL+"/x/case.smt2?raw=1", one[0].address, "where it came from, if it names no other")
	_, err = reportsOf(context.Background(), &command.Env{Stderr: io.Discard}, out, server.URL+"/none.smt2")
	require.ErrorContains(t, err, "404")
	_, err = reportsOf(context.Background(), &command.Env{Stderr: io.Discard}, out, server.URL+"/bad.zip")
	require.Error(t, err)
	entries, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	for _, e := range entries {
		require.NotContains(t, e.Name(), ".smt2")
	}
}
