package script

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

// ThreadKind determines the operations that a thread may use.
type ThreadKind uint8

const (
	_ ThreadKind = iota // the zero value says nothing
	// Library threads run the top level of loaded modules: they see no campaign.
	Library
	// Campaign threads run the top level of the campaign file.
	Campaign
	// Case threads call the functions of a loaded campaign, one case at a time.
	Case
	// Test threads run test_* functions and examples.
	Test
)

// InterpreterOptions are the settings of an Interpreter beside its sources.
type InterpreterOptions struct {
	// Setup fills the slots of a new thread (arena, sink of the campaign, ...), or is nil.
	Setup func(kind ThreadKind, th *starlark.Thread)
	// Print receives what scripts print, or is nil: discarded.
	Print func(msg string)
	// Folders may be read by scripts besides the project's root.
	Folders []string
	// Below is the folder to which absolute names are relative; "" means that absolute names are used as they are. So a
	// campaign of another machine reads its files here under the names that it has for them.
	Below string
	// Noted is called with the absolute path of each file that a script reads or lists, by any goroutine. It may be
	// nil.
	Noted func(path string)
	// Stuck is called, on a goroutine of its own, when a call exceeded its budget or its context ended and the script
	// did not notice, since a single step takes too long. Then it is only possible to report the error, with its place,
	// and to end the process. If Stuck is nil, such a call goes on until its step ends.
	Stuck func(*ScriptError)
	// At is called with the place ("function (file:line:col)") of a call that computes for seconds, and of a step that
	// takes long. It serves to report the activity of a process, also of one that was killed. It may be nil.
	At func(place string)
	// Budget bounds each call and each module's top level; the zero value means DefaultBudget.
	Budget Budget
}

// Interpreter runs campaign files and their modules. See the package comment for
// what may happen at the same time.
type Interpreter struct {
	src     *Sources
	opts    InterpreterOptions
	files   *files
	modules map[module]*loaded
	stack   []module // modules being loaded, outermost first
}

type loaded struct {
	globals starlark.StringDict
	err     error
	busy    bool
}

// New makes an interpreter with an empty state: every module runs again.
func New(src *Sources, opts InterpreterOptions) *Interpreter {
	if opts.Budget == (Budget{}) {
		opts.Budget = DefaultBudget
	}
	in := &Interpreter{src: src, opts: opts, modules: map[module]*loaded{}}
	in.files = &files{base: src.root, root: src.root, folders: []string{src.root}, below: opts.Below, noted: opts.Noted, seen: &seenFiles{texts: map[string][]byte{}}}
	for _, folder := range opts.Folders {
		if abs, err := filepath.Abs(folder); err == nil {
			in.files.folders = append(in.files.folders, abs)
		}
	}
	return in
}

// Exec runs a file on a thread of the given kind (Campaign or Test) and returns its
// frozen globals. Errors are of type *ScriptError.
func (in *Interpreter) Exec(ctx context.Context, kind ThreadKind, file string) (starlark.StringDict, error) {
	m, err := in.src.moduleOf(file)
	if err != nil {
		return nil, in.newError(err)
	}
	if !m.std { // file names are relative to the campaign file
		f := *in.files
		f.base = filepath.Join(in.src.root, filepath.FromSlash(path.Dir(m.path)))
		in.files = &f
	}
	globals, err := in.runModule(ctx, kind, m)
	if err != nil {
		return nil, in.newError(err)
	}
	return globals, nil
}

// ExecText is Exec for the module //name whose text Sources.SetText gave.
func (in *Interpreter) ExecText(ctx context.Context, kind ThreadKind, name string) (starlark.StringDict, error) {
	globals, err := in.runModule(ctx, kind, module{path: name})
	if err != nil {
		return nil, in.newError(err)
	}
	return globals, nil
}

// Load runs a module by its name, as load does from a file at the project's root, and
// returns its frozen globals.
func (in *Interpreter) Load(ctx context.Context, name string) (starlark.StringDict, error) {
	globals, err := in.loadModule(ctx, module{path: "x.star"}, name)
	if err != nil {
		return nil, in.newError(err)
	}
	return globals, nil
}

// Texts returns the modules of the project that were loaded so far, and the files below its root that they read
// meanwhile, by their names below the root; seeds and modules of the library are not among them. Files that are read
// later are not kept. name is the name, in texts or in the library, of the file given to Exec or ExecText.
func (in *Interpreter) Texts(file string) (name string, texts map[string]string, err error) {
	m := module{path: file}
	if _, ok := in.src.texts[m]; !ok {
		if m, err = in.src.moduleOf(file); err != nil {
			return "", nil, err
		}
	}
	if name = m.path; m.std {
		name = m.key()
	}
	texts = map[string]string{}
	for rel, text := range in.files.seen.takeTexts() {
		texts[rel] = string(text)
	}
	in.src.mu.Lock()
	defer in.src.mu.Unlock()
	for m, c := range in.src.compiled {
		if !m.std && c.err == nil {
			texts[m.path] = string(c.src)
		}
	}
	return name, texts, nil
}

func (in *Interpreter) loadModule(ctx context.Context, from module, name string) (starlark.StringDict, error) {
	m, err := resolveModule(from, name)
	if err != nil {
		return nil, err
	}
	if l := in.modules[m]; l != nil {
		if l.busy {
			return nil, in.cycleError(m)
		}
		return l.globals, l.err
	}
	l := &loaded{busy: true}
	in.modules[m] = l
	l.globals, l.err = in.runModule(ctx, Library, m)
	l.busy = false
	return l.globals, l.err
}

func (in *Interpreter) cycleError(m module) error {
	names := []string{}
	for _, s := range in.stack[slices.Index(in.stack, m):] {
		names = append(names, s.key())
	}
	return fmt.Errorf("the modules load each other: %s", strings.Join(append(names, m.key()), " -> "))
}

// runModule executes the top level of a module.
func (in *Interpreter) runModule(ctx context.Context, kind ThreadKind, m module) (starlark.StringDict, error) {
	c := in.src.compileModule(m)
	if c.err != nil {
		return nil, c.err
	}
	if slices.Contains(in.stack, m) { // a campaign file that is loaded back
		return nil, in.cycleError(m)
	}
	in.stack = append(in.stack, m)
	defer func() { in.stack = in.stack[:len(in.stack)-1] }()

	t := in.newThread(kind, c.name)
	t.th.Load = func(_ *starlark.Thread, name string) (starlark.StringDict, error) {
		return in.loadModule(ctx, m, name)
	}
	defer t.Close()
	return t.init(ctx, c.prog, in.src.predeclared)
}

func (in *Interpreter) newThread(kind ThreadKind, name string) *Thread {
	t := &Thread{th: &starlark.Thread{Name: name}, in: in, budget: in.opts.Budget}
	t.th.OnMaxSteps = t.manySteps
	t.th.Print = func(_ *starlark.Thread, msg string) {
		if in.opts.Print != nil {
			in.opts.Print(msg)
		}
	}
	registry.HostKey.Set(t.th, host{in})
	registry.FilesKey.Set(t.th, in.files)
	registry.NestingKey.Set(t.th, &t.nesting)
	if in.opts.Setup != nil {
		in.opts.Setup(kind, t.th)
	}
	return t
}

// NewThread makes a thread that calls functions of the loaded files. Make one per
// goroutine and keep it: a call on a fresh thread costs ten times more.
func (in *Interpreter) NewThread(kind ThreadKind, name string) *Thread {
	return in.newThread(kind, name)
}

// host is the interpreter as builtins see it.
type host struct{ in *Interpreter }

func (h host) NewThread(name string) registry.Thread { return h.in.newThread(Case, name) }
