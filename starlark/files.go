package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/builtins/registry"
)

// maxFile bounds what Read returns: larger inputs are no test cases.
const maxFile = 256 << 20

// files implements registry.FileReader by the operating system's folders. It is safe for
// concurrent use.
type files struct {
	base    string   // absolute folder of the campaign file
	root    string   // absolute folder of //
	folders []string // absolute folders that may be read, the root among them
	below   string   // the folder to which absolute names are relative; "": they are used as they are
	noted   func(path string)
	seen    *seenFiles // content read from files below the root; nil: not kept
}

var _ registry.FileReader = (*files)(nil)

// maxSeen bounds the kept content of files that a campaign file reads while it is loaded, in bytes: tables and models
// are small.
const maxSeen = 4 << 20

// seenFiles keeps the content of files until somebody takes it.
type seenFiles struct {
	mu    sync.Mutex
	texts map[string][]byte // by name below the root; nil when they were taken
	size  int
}

func (s *seenFiles) keepText(rel string, text []byte) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil || s.texts[rel] != nil || s.size+len(text) > maxSeen {
		return
	}
	s.texts[rel] = text
	s.size += len(text)
}

// takeTexts returns the kept texts; files that are read from now on are not kept.
func (s *seenFiles) takeTexts() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	texts := s.texts
	s.texts = nil
	return texts
}

// ForSeeds implements what registry.ForSeeds looks for.
func (f *files) ForSeeds() registry.FileReader {
	plain := *f
	plain.seen = nil
	return &plain
}

// place is a name within one of the folders.
type place struct {
	folder string
	rel    string // slash-separated, valid for fs.FS
}

// resolvePath returns where a name lies, or why a script must not go there.
func (f *files) resolvePath(name string) (place, error) {
	if name == "" {
		return place{}, fmt.Errorf("a file name is empty")
	}
	if strings.ContainsRune(name, 0) {
		return place{}, fmt.Errorf("%q is no file name", name)
	}
	abs := filepath.FromSlash(name)
	switch {
	case strings.HasPrefix(name, "//"):
		abs = filepath.Join(f.root, filepath.FromSlash(name[2:]))
	case !filepath.IsAbs(abs):
		abs = filepath.Join(f.base, abs)
	case f.below != "":
		abs = filepath.Join(f.below, abs)
	}
	abs = filepath.Clean(abs)
	for _, folder := range f.folders {
		if rel, err := filepath.Rel(folder, abs); err == nil && filepath.IsLocal(rel) {
			return place{folder, filepath.ToSlash(rel)}, nil
		}
	}
	return place{}, fmt.Errorf("%s lies outside of the campaign's folders (%s); smtlark run --read FOLDER lets it read another one; a file .smtlark in a folder above makes that the root", name, strings.Join(f.folders, ", "))
}

func (f *files) Root() string { return f.root }

func (f *files) Path(name string) (string, error) {
	p, err := f.resolvePath(name)
	if err != nil {
		return "", err
	}
	return filepath.Join(p.folder, filepath.FromSlash(p.rel)), nil
}

func (f *files) Read(name string) ([]byte, error) {
	p, err := f.resolvePath(name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(p.rel))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no such file: %s", name)
	case err != nil:
		return nil, linkError(name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d MB, a file may have %d", name, info.Size()>>20, maxFile>>20)
	}
	text, err := root.ReadFile(filepath.FromSlash(p.rel))
	if err == nil {
		f.note(p.folder, p.rel)
	}
	if err == nil && p.folder == f.root {
		f.seen.keepText(p.rel, text)
	}
	return text, err
}

// note tells of a file that a script reads or lists.
func (f *files) note(folder, rel string) {
	if f.noted != nil {
		f.noted(filepath.Join(folder, filepath.FromSlash(rel)))
	}
}

// linkError explains what os.Root says of a link that leads out.
func linkError(name string, err error) error {
	if strings.Contains(err.Error(), "escapes") {
		return fmt.Errorf("%s is, or lies behind, a link out of the campaign's folders", name)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (f *files) List(pattern string) (names, others []string, err error) {
	fixed, rest := splitPattern(pattern)
	p, err := f.resolvePath(fixed)
	if err != nil {
		return nil, nil, err
	}
	for _, part := range strings.Split(rest, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return nil, nil, fmt.Errorf("%s: malformed pattern %q", pattern, part)
		}
	}
	// Links inside of the folder may lead out of it: a root does not follow those.
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(p.rel))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("%s: no such file or folder: %s", pattern, fixed)
	case err != nil:
		return nil, nil, linkError(fixed, err)
	case !info.IsDir() && rest == "":
		f.note(p.folder, p.rel)
		return []string{fixed}, nil, nil
	}
	err = fs.WalkDir(root.FS(), p.rel, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(strings.TrimPrefix(at, p.rel), "/")
		if p.rel == "." {
			below = at
		}
		if d.IsDir() || rest != "" && !matchPattern(rest, below) {
			return nil
		}
		name := path.Join(fixed, below)
		switch target, err := root.Stat(filepath.FromSlash(at)); {
		case err == nil && target.Mode().IsRegular():
			names = append(names, name)
			f.note(p.folder, at)
		case err != nil || !target.IsDir():
			others = append(others, name)
		}
		return nil
	})
	if err != nil {
		return nil, nil, linkError(pattern, err)
	}
	for _, list := range [][]string{names, others} {
		if strings.HasPrefix(fixed, "//") { // path.Join took one of them
			for i := range list {
				list[i] = "/" + list[i]
			}
		}
		slices.Sort(list)
	}
	return names, others, nil
}

// splitPattern parts "seeds/QF_*/**" into the folder "seeds" and the pattern "QF_*/**".
func splitPattern(pattern string) (fixed, rest string) {
	i := strings.IndexAny(pattern, "*?[")
	if i < 0 {
		return pattern, ""
	}
	cut := strings.LastIndexByte(pattern[:i], '/')
	switch {
	case cut < 0:
		return ".", pattern
	case cut == 0:
		return "/", pattern[1:]
	case cut == 1 && pattern[0] == '/':
		return "//", pattern[2:]
	}
	return pattern[:cut], pattern[cut+1:]
}

// matchPattern matches a path against a pattern, name by name; ** stands for any number
// of names.
func matchPattern(pattern, name string) bool {
	ps, ns := strings.Split(pattern, "/"), strings.Split(name, "/")
	// reach[j]: the pattern so far matches the first j names.
	reach := make([]bool, len(ns)+1)
	reach[0] = true
	for _, p := range ps {
		next := make([]bool, len(ns)+1)
		for j := range reach {
			switch {
			case p == "**":
				next[j] = reach[j] || j > 0 && next[j-1]
			case j > 0 && reach[j-1]:
				next[j], _ = path.Match(p, ns[j-1])
			}
		}
		reach = next
	}
	return reach[len(ns)]
}
