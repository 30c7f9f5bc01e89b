// Package wheels is an index of Python packages, for tests, which add wheels to it.
package wheels

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// IndexServer serves the pages of projects as PEP 691 has them, and their wheels.
type IndexServer struct {
	*httptest.Server
	Wheels map[string][]byte           // by name
	Files  map[string][]map[string]any // by project
	Asked  int                         // for wheels
}

// New starts an index, which pip and smtlark ask instead of PyPI. It ends with the test.
func New(t *testing.T) *IndexServer {
	x := &IndexServer{Wheels: map[string][]byte{}, Files: map[string][]map[string]any{}}
	x.Server = httptest.NewServer(http.HandlerFunc(x.serve))
	t.Cleanup(x.Close)
	t.Setenv("PIP_INDEX_URL", x.URL+"/simple")
	return x
}

func (x *IndexServer) serve(w http.ResponseWriter, r *http.Request) {
	if body, ok := x.Wheels[path.Base(r.URL.Path)]; ok {
		x.Asked++
		_, _ = w.Write(body)
		return
	}
	files, ok := x.Files[path.Base(strings.TrimSuffix(r.URL.Path, "/"))]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", r.Header.Get("Accept"))
	_ = json.NewEncoder(w).Encode(map[string]any{"files": files})
}

// Add makes a wheel with some files. yanked is false, or the reason why it was taken back.
func (x *IndexServer) Add(t *testing.T, project, name string, yanked any, files map[string]string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for file, text := range files {
		f, err := z.Create(file)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	sum := sha256.Sum256(b.Bytes())
	x.Wheels[name] = b.Bytes()
	x.Files[project] = append(x.Files[project], map[string]any{
		"filename": name, "url": "../../files/" + name, "hashes": map[string]string{"sha256": hex.EncodeToString(sum[:])}, "size": b.Len(), "yanked": yanked,
	})
}
