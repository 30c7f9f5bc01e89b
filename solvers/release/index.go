package release

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/download"
	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/solvers"
)

// envIndex is the environment variable that makes pip use another index.
const envIndex = "PIP_INDEX_URL"

const defaultIndex = "https://pypi.org/simple"

// indexLimit bounds the answer of an index, in bytes.
const indexLimit = 64 << 20

// wheel is a file of an index (PEP 691, "project detail").
type wheel struct {
	Name   string            `json:"filename"`
	URL    string            `json:"url"`
	Hashes map[string]string `json:"hashes"`
	Size   int64             `json:"size"`
	Yanked any               `json:"yanked"` // false, true or a reason
}

// Machine is the machine that wheels are chosen for.
type Machine struct {
	OS, Arch string // as runtime has them
	Python   string // the program that runs modules, "" where there is none
	ABI      string // its tag, such as cp311
}

// ThisMachine looks for Python as well.
func ThisMachine(ctx context.Context) Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH}
	m.Python, m.ABI = findPython(ctx)
	return m
}

// fits reports whether a wheel is one for the machine.
func (m Machine) fits(name string) bool {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[m.Arch]
	switch m.OS {
	case "linux":
		return arch != "" && strings.Contains(name, "manylinux") && strings.HasSuffix(name, "_"+arch+".whl")
	case "darwin":
		return strings.Contains(name, "macosx") && (strings.HasSuffix(name, "universal2.whl") ||
			strings.HasSuffix(name, map[string]string{"amd64": "_x86_64.whl", "arm64": "_arm64.whl"}[m.Arch]))
	}
	return false
}

// wheelName has the version and the tag of Python in the name of a wheel.
var wheelName = pattern.Lazy(`^[A-Za-z0-9_.]+-([0-9][^-]*)-([a-z0-9.]+)-`)

// shortVersion is the part of a version of PyPI that the solver has too: 4.12.2.0 is 4.12.2.
var shortVersion = pattern.Lazy(`^[0-9]+\.[0-9]+(\.[0-9]+)?`)

// offers are the releases of an index that a machine can use, each with its wheel, the oldest first.
func offers(solver string, files []wheel, m Machine) (out []offer) {
	from := sources[solver]
	at := map[Release]offer{}
	for _, f := range files {
		part := wheelName().FindStringSubmatch(f.Name)
		if yanked, ok := f.Yanked.(bool); part == nil || f.Yanked != nil && (!ok || yanked) || !m.fits(f.Name) {
			continue
		}
		o := offer{Release{solver, shortVersion().FindString(part[1])}, part[1], f, part[2] == m.ABI, m.OS}
		if from.since != "" && solvers.CompareVersions(o.Version, from.since) < 0 || from.program == "" && !o.runs &&
			from.library == nil {
			continue
		}
		if have, ok := at[o.Release]; !ok || o.better(have) {
			at[o.Release] = o
		}
	}
	for _, o := range at {
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b offer) int { return a.Compare(b.Release) })
	return out
}

// offer is a release with the wheel that has it.
type offer struct {
	Release
	full  string // the version of the wheel
	wheel wheel
	runs  bool // the Python of the machine can load it
	os    string
}

// better reports whether the wheel is preferred to another wheel of the release: one that runs is preferred, then the
// later one. The rest makes the choice the same whatever the order of the index.
func (o offer) better(than offer) bool {
	if o.runs != than.runs {
		return o.runs
	}
	later := func(v string) string { return strings.Replace(v, ".post", ".", 1) } // 4.5.1.0.post2 follows 4.5.1.0
	return cmp.Or(solvers.CompareVersions(later(o.full), later(than.full)),
		strings.Compare(than.wheel.Name, o.wheel.Name)) > 0
}

// readIndex asks the index for the files of a project. If the index cannot be reached, it uses the stored copy, and
// stale says why.
func (s *Depot) readIndex(ctx context.Context, project string) (files []wheel, stale, err error) {
	kept := filepath.Join(s.Dir, Folder, "index", project+".json")
	text, err := s.ask(ctx, project)
	if err != nil && ctx.Err() == nil {
		if old, e := os.ReadFile(kept); e == nil {
			stale, text, err = err, old, nil
		}
	}
	if err != nil {
		return nil, nil, err
	}
	var page struct {
		Files []wheel `json:"files"`
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return nil, nil, fmt.Errorf("%s: the index of %s is not read: %w", s.index(), project, err)
	}
	if stale == nil {
		if err := durable.ReplaceAt(kept, text, 0o644); err != nil {
			return nil, nil, err
		}
	}
	return page.Files, stale, nil
}

// ask asks the index about a project.
func (s *Depot) ask(ctx context.Context, project string) ([]byte, error) {
	page, err := url.JoinPath(s.index(), project, "/")
	if err != nil {
		return nil, fmt.Errorf("$%s: %w", envIndex, err)
	}
	res, err := download.Get(ctx, page, "application/vnd.pypi.simple.v1+json")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); !strings.Contains(kind, "json") {
		return nil, fmt.Errorf("%s: the index answers %q and not JSON (PEP 691)", page, kind)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, indexLimit))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", page, err)
	}
	return withWholeURLs(text, res.Request.URL)
}

// withWholeURLs returns the page of a project with addresses that do not depend on its own.
func withWholeURLs(text []byte, page *url.URL) ([]byte, error) {
	var all struct {
		Files []wheel `json:"files"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", page, err)
	}
	for i := range all.Files {
		u, err := page.Parse(all.Files[i].URL)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page, err)
		}
		all.Files[i].URL = u.String()
	}
	return json.MarshalIndent(all, "", " ")
}

func (s *Depot) index() string {
	return strings.TrimSuffix(cmp.Or(os.Getenv(envIndex), defaultIndex), "/")
}

// isThere reports whether a path exists.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
