package script

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/ground/spelling"
)

const (
	stdPrefix = "@std//"
	// maxSource bounds the size of a module: no script is that long, and the compiler
	// takes many times the memory of its source.
	maxSource = 4 << 20
)

// module names one module: where it lives and how messages call it.
type module struct {
	std  bool
	path string // slash-separated, relative to the embedded library or to the root
}

// key is the canonical name: "@std//storm.star", "//lib/x.star".
func (m module) key() string {
	if m.std {
		return stdPrefix + m.path
	}
	return "//" + m.path
}

// resolveModule finds the module that a file means by the name it gave to load.
func resolveModule(from module, name string) (module, error) {
	m := from
	switch {
	case strings.HasPrefix(name, stdPrefix):
		m = module{std: true, path: strings.TrimPrefix(name, stdPrefix)}
	case strings.HasPrefix(name, "@"):
		pkg, rest, _ := strings.Cut(name, "//")
		return m, fmt.Errorf("no package is named %q, only @std (did you mean %q?)", pkg, stdPrefix+rest)
	case strings.HasPrefix(name, "//"):
		m.path = strings.TrimPrefix(name, "//")
	case strings.HasPrefix(name, "/"):
		return m, fmt.Errorf("an absolute path cannot be loaded (did you mean %q, from the project's root?)", "/"+name)
	default:
		m.path = path.Join(path.Dir(from.path), name)
	}
	if strings.ContainsAny(name, "\\\x00") {
		return m, fmt.Errorf("module names are separated by / and have no \\")
	}
	m.path = path.Clean(m.path)
	switch {
	case m.path == ".." || strings.HasPrefix(m.path, "../"):
		if m.std {
			return m, errors.New("it lies outside of the standard library")
		}
		return m, fmt.Errorf("it lies outside of the project's root, which is the folder of the campaign file unless a file %s marks one above as a project", projectMark)
	case !strings.HasSuffix(m.path, ".star"):
		return m, fmt.Errorf("module names end in .star (did you mean %q?)", name+".star")
	case !fs.ValidPath(m.path):
		return m, fmt.Errorf("module names are paths in UTF-8")
	}
	return m, nil
}

// Sources reads and compiles modules. It remembers what it compiled, so that running a
// file again (each test has its own state) costs microseconds. Safe for concurrent use.
type Sources struct {
	std  fs.FS
	root string // absolute path of the folder that // stands for
	reg  *registry.Registry
	// predeclared has the names of the registry and the guards.
	predeclared starlark.StringDict

	mu       sync.Mutex
	texts    map[module][]byte // modules that are no files
	compiled map[module]*compiled
}

type compiled struct {
	name string // how messages call the file
	src  []byte
	prog *starlark.Program
	err  error
}

// NewSources reads // modules below root and @std// modules from std.
func NewSources(reg *registry.Registry, std fs.FS, root string) *Sources {
	return &Sources{std: std, root: root, reg: reg, predeclared: predeclaredNames(reg), compiled: map[module]*compiled{}}
}

// Root is the folder that // stands for.
func (s *Sources) Root() string { return s.root }

// SetText makes text the source of the module //name, whether there is such a file or not. A campaign that was made
// from flags runs in this way. Call it before the module is loaded.
func (s *Sources) SetText(name string, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[module][]byte{}
	}
	s.texts[module{path: name}] = text
}

// projectMark is the name of the file or folder that marks a project: the folder it lies in is the root of all campaign
// files below it.
const projectMark = ".smtlark"

// ProjectRoot is the folder that // stands for in a campaign file: the nearest one at or above the file that is marked
// as a project, else the file's own folder.
func ProjectRoot(file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	own := filepath.Dir(abs)
	for dir := own; ; {
		if _, err := os.Stat(filepath.Join(dir, projectMark)); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return own, nil
		}
		dir = parent
	}
}

// moduleOf names the module of a file given on the command line.
func (s *Sources) moduleOf(file string) (module, error) {
	if strings.HasPrefix(file, stdPrefix) {
		return resolveModule(module{}, file)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return module{}, err
	}
	rel, err := filepath.Rel(s.root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return module{}, fmt.Errorf("%s lies outside of the project's root %s", file, s.root)
	}
	return module{path: filepath.ToSlash(rel)}, nil
}

// displayName returns the file name for messages: the path as the user would type it in the current folder.
func (s *Sources) displayName(m module) string {
	if m.std {
		return m.key()
	}
	if _, ok := s.texts[m]; ok {
		return m.path
	}
	abs := filepath.Join(s.root, filepath.FromSlash(m.path))
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, abs); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return abs
}

// readSource returns the source of a module. It follows no link out of the root.
func (s *Sources) readSource(m module) ([]byte, error) {
	if text, ok := s.texts[m]; ok {
		return text, nil
	}
	fsys := s.std
	if !m.std {
		root, err := os.OpenRoot(s.root)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		fsys = root.FS()
	}
	info, err := fs.Stat(fsys, m.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.notFound(fsys, m)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", m.key())
	case info.Size() > maxSource:
		return nil, fmt.Errorf("%s has %d bytes, a module may have %d", m.key(), info.Size(), maxSource)
	}
	return fs.ReadFile(fsys, m.path)
}

// notFound says what exists instead.
func (s *Sources) notFound(fsys fs.FS, m module) error {
	var keys []string
	near := map[string]module{} // by their names alone: what all have in common makes nothing alike
	files, _ := fs.Glob(fsys, path.Join(escapeGlob(path.Dir(m.path)), "*.star"))
	for _, f := range files {
		near[strings.TrimSuffix(path.Base(f), ".star")] = module{m.std, f}
		keys = append(keys, module{m.std, f}.key())
	}
	hint := ""
	base := path.Base(m.path)
	std, top := module{std: true, path: base}, module{path: base}
	_, err := fs.Stat(fsys, base)
	switch name := spelling.Nearest(strings.TrimSuffix(base, ".star"), slices.Sorted(maps.Keys(near))); { // the right name in the wrong place comes first
	case !m.std && m.path != base && err == nil:
		hint = top.key()
	case !m.std && s.existsInLibrary(std):
		hint = std.key()
	case name != "":
		hint = near[name].key()
	}
	switch {
	case hint != "":
		return fmt.Errorf("no such module (did you mean %q?)", hint)
	case m.std && len(near) > 0:
		return fmt.Errorf("no such module; the library has %s", strings.Join(keys, ", "))
	}
	if _, err := os.Stat(filepath.Join(s.root, projectMark)); err != nil && !m.std {
		return fmt.Errorf("no such file: %s (// is the folder of the campaign file; an empty file %s in a folder above makes that the root)", s.displayName(m), projectMark)
	}
	return fmt.Errorf("no such file: %s", s.displayName(m))
}

func (s *Sources) existsInLibrary(m module) bool {
	_, err := fs.Stat(s.std, m.path)
	return err == nil
}

func escapeGlob(p string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// compileModule returns the compiled module; a failure is remembered too.
func (s *Sources) compileModule(m module) *compiled {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.compiled[m]
	if c == nil {
		c = &compiled{name: s.displayName(m)}
		s.compiled[m] = c
		if c.src, c.err = s.readSource(m); c.err == nil {
			if m.std {
				c.prog, c.err = s.compileOnce(kept(), c.name, c.src)
			} else {
				c.prog, c.err = s.compileSource(c.name, c.src)
			}
		}
	}
	return c
}

// compileOnce is compileSource for a module of the library, which is a part of this build of smtlark, and is kept
// compiled in a cache that belongs to the build.
func (s *Sources) compileOnce(cache *memo.Cache, name string, src []byte) (*starlark.Program, error) {
	var made *starlark.Program
	text, err := cache.Once(fmt.Sprintf("compiled %s %x", name, sha256.Sum256(src)), func() (string, error) {
		var err error
		if made, err = s.compileSource(name, src); err != nil {
			return "", err
		}
		var b bytes.Buffer
		err = made.Write(&b)
		return b.String(), err
	})
	if made != nil || err != nil {
		return made, err
	}
	if made, err = starlark.CompiledProgram(strings.NewReader(text)); err != nil { // a broken file in the cache
		return s.compileSource(name, src)
	}
	return made, nil
}

// kept returns the cache of the compiled modules of the library.
var kept = sync.OnceValue(func() *memo.Cache { return memo.User().ForProgram() })

func (s *Sources) compileSource(name string, src []byte) (*starlark.Program, error) {
	f, err := registry.Dialect().Parse(name, src, 0)
	if err != nil {
		return nil, err
	}
	guardFile(f)
	return starlark.FileProgram(f, s.predeclared.Has)
}

// textOf returns the text of a file that was compiled, or "".
func (s *Sources) textOf(filename string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.compiled {
		if c.name == filename {
			return string(c.src)
		}
	}
	return ""
}

// sourceLine returns a line of a file that was compiled, for backtraces; "" when unknown.
func (s *Sources) sourceLine(filename string, n int32) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.compiled {
		if c.name != filename {
			continue
		}
		if lines := strings.Split(string(c.src), "\n"); n >= 1 && int(n) <= len(lines) {
			return strings.TrimRight(lines[n-1], "\r \t")
		}
	}
	return ""
}

// modulesExporting returns the library modules that define a global of that name, for the
// hint about a forgotten load.
func (s *Sources) modulesExporting(name string) (keys []string) {
	files, _ := fs.Glob(s.std, "*.star")
	for _, f := range files {
		src, err := fs.ReadFile(s.std, f)
		if err != nil {
			continue
		}
		tree, err := registry.Dialect().Parse(f, src, 0)
		if err != nil {
			continue
		}
		for _, stmt := range tree.Stmts {
			if def, ok := stmt.(*syntax.DefStmt); ok && def.Name.Name == name {
				keys = append(keys, module{true, f}.key())
			}
		}
	}
	return keys
}

// parametersOf returns the parameter names of the function that a frame is in, found by the
// last definition of that name at or before its line.
func (s *Sources) parametersOf(f errorFrame) (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.compiled {
		if c.name != f.Pos.Filename() {
			continue
		}
		tree, err := registry.Dialect().Parse(c.name, c.src, 0)
		if err != nil {
			return nil
		}
		syntax.Walk(tree, func(n syntax.Node) bool {
			if def, ok := n.(*syntax.DefStmt); ok && def.Name.Name == f.Func && def.Def.Line <= f.Pos.Line {
				names = names[:0]
				for _, p := range def.Params {
					if b, ok := p.(*syntax.BinaryExpr); ok {
						p = b.X
					}
					if id, ok := p.(*syntax.Ident); ok {
						names = append(names, id.Name)
					}
				}
			}
			return true
		})
	}
	return names
}

// Reproduces reports whether a file replays findings and describes no campaign: it calls reproduce(...) at its top
// level, and not campaign(...). It is not run. It returns false for a file that cannot be read or parsed.
func Reproduces(file string) bool {
	src, err := os.ReadFile(file)
	if err != nil || len(src) > maxSource {
		return false
	}
	tree, err := registry.Dialect().Parse(file, src, 0)
	if err != nil {
		return false
	}
	calls := map[string]bool{}
	for _, stmt := range tree.Stmts {
		if e, ok := stmt.(*syntax.ExprStmt); ok {
			if call, ok := e.X.(*syntax.CallExpr); ok {
				if name, ok := call.Fn.(*syntax.Ident); ok {
					calls[name.Name] = true
				}
			}
		}
	}
	return calls["reproduce"] && !calls["campaign"]
}

// Loads returns the texts of the modules that a file loads, and of those that these load, by their canonical names:
// //lib.star, @std//storm.star. It executes nothing. Modules that cannot be read or parsed are left out: whoever runs
// the file is told.
func (s *Sources) Loads(file string) (map[string][]byte, error) {
	m, err := s.moduleOf(file)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	var add func(m module)
	add = func(m module) {
		s.mu.Lock()
		text, err := s.readSource(m)
		s.mu.Unlock()
		if err != nil {
			return
		}
		out[m.key()] = text
		tree, err := registry.Dialect().Parse(m.path, text, 0)
		if err != nil {
			return
		}
		for _, stmt := range tree.Stmts {
			load, ok := stmt.(*syntax.LoadStmt)
			if !ok {
				continue
			}
			to, err := resolveModule(m, load.ModuleName())
			if _, seen := out[to.key()]; err == nil && !seen && len(out) < maxLoads {
				add(to)
			}
		}
	}
	add(m)
	delete(out, m.key())
	return out, nil
}

// maxLoads bounds the modules of one campaign that are looked at without running it.
const maxLoads = 1000
