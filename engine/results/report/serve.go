package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/durable"
)

// Bounds of the live pages.
const (
	updateEvery = 2 * time.Second        // how often a page asks for news
	keepFor     = 500 * time.Millisecond // how long a loaded report serves further requests
)

// Server shows the reports of a folder live. It only reads, answers only requests to a loopback host (so a page of
// another site whose name was rebound to this machine gets nothing), and escapes all content of findings.
type Server struct {
	dir, tool string
	now       func() time.Time
	mu        sync.Mutex
	cache     map[string]cached
}

// cached is the content of a folder as it was last read.
type cached struct {
	data *Data
	err  error
	at   time.Time
}

// NewServer returns a server of the folder, or of the run, at dir; tool is the name and version of the program.
func NewServer(dir, tool string) *Server {
	return &Server{dir: dir, tool: tool, now: time.Now, cache: map[string]cached{}}
}

// load reads a folder, or returns the cached data if they are younger than keepFor.
func (s *Server) load(dir string) (*Data, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if c, ok := s.cache[dir]; ok && now.Sub(c.at) < keepFor {
		return c.data, c.err
	}
	d, err := Load(dir, s.tool, now)
	if errors.Is(err, ErrNothing) { // a campaign is about to begin
		d, err = &Data{Version: dataVersion, Tool: s.tool, Made: now, Folder: dir, Findings: []reportFinding{}}, nil
	}
	clear(s.cache) // one folder at a time is enough
	s.cache[dir] = cached{d, err, now}
	return d, err
}

// Handler serves the pages:
//
//	/                    the folder
//	/run/CAMPAIGN/TIME   one run
//	/finding/ID/FILE     a file of a finding, as plain text
//	/report.FORMAT       html, md, json, junit or sarif
//	/metrics             Prometheus
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { s.page(w, r, s.dir) })
	mux.HandleFunc("GET /run/{campaign}/{time}", s.run)
	mux.HandleFunc("GET /finding/{id...}", s.file)
	for name, f := range map[string]struct {
		kind  string
		write func(io.Writer, *Data) error
	}{
		"html": {"text/html; charset=utf-8", HTML}, "md": {"text/markdown; charset=utf-8", Markdown}, "json": {"application/json", JSON},
		"junit": {"application/xml", JUnit}, "sarif": {"application/sarif+json", SARIF},
	} {
		mux.HandleFunc("GET /report."+name, func(w http.ResponseWriter, r *http.Request) {
			if d, err := s.load(s.dir); err != nil {
				s.fail(w, err)
			} else {
				s.send(w, r, f.kind, func(b io.Writer) error { return f.write(b, d) })
			}
		})
	}
	mux.Handle("GET /metrics", MetricsHandler(func() []*metrics.Stats {
		if d, err := s.load(s.dir); err == nil && d.Run != nil {
			return []*metrics.Stats{d.Run.Stats}
		}
		return nil
	}))
	return onlyLoopback(mux)
}

// onlyLoopback refuses requests unless they address this machine by a name that cannot mean another one. It also sets
// the headers that keep browsers from interpreting content.
func onlyLoopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Frame-Options", "SAMEORIGIN")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		if !loopbackName(r.Host) {
			http.Error(w, "this server answers requests to localhost only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// loopbackName reports whether a Host header names this machine's loopback interface.
func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// Loopback reports whether an address that is listened on can be reached from this machine only.
func Loopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

func (s *Server) page(w http.ResponseWriter, r *http.Request, dir string) {
	d, err := s.load(dir)
	if err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", policy(true))
	s.send(w, r, "text/html; charset=utf-8", func(b io.Writer) error { return page(b, d, int(updateEvery/time.Millisecond)) })
}

// run shows a run of the folder, and nothing that is not listed there.
func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	d, err := s.load(s.dir)
	if err != nil {
		s.fail(w, err)
		return
	}
	id := r.PathValue("campaign") + "/" + r.PathValue("time")
	if !slices.ContainsFunc(d.Runs, func(l runLine) bool { return l.ID == id }) {
		http.NotFound(w, r)
		return
	}
	s.page(w, r, filepath.Join(d.Folder, "runs", filepath.FromSlash(id)))
}

// findingFiles are the files of a finding that are shown.
var findingFiles = []string{"README.md", "case.smt2", "min.smt2", "model.smt2", "repro.sh", "repro.star", "finding.json"}

// file shows a file of a finding as text.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	d, err := s.load(s.dir)
	if err != nil {
		s.fail(w, err)
		return
	}
	id, name := "", r.PathValue("id")
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		id, name = name[:i], name[i+1:]
	}
	i := slices.IndexFunc(d.Findings, func(f reportFinding) bool { return f.ID == id })
	if i < 0 || !slices.Contains(findingFiles, name) {
		http.NotFound(w, r)
		return
	}
	text, err := durable.ReadFile(filepath.Join(d.Folder, filepath.FromSlash(d.Findings[i].Folder)), name)
	if err != nil {
		s.fail(w, err)
		return
	}
	s.send(w, r, "text/plain; charset=utf-8", func(b io.Writer) error { _, err := b.Write(text); return err })
}

// send writes a body, or that it is still the same.
func (s *Server) send(w http.ResponseWriter, r *http.Request, kind string, write func(io.Writer) error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		s.fail(w, err)
		return
	}
	sum := sha256.Sum256(b.Bytes())
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b.Bytes()) // the client went away
}

func (s *Server) fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.Is(err, fs.ErrNotExist) {
		code = http.StatusNotFound
	}
	http.Error(w, display.Text(err.Error()), code)
}
