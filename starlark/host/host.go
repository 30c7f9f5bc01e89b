// Package host runs a campaign file inside a worker and makes a plan of it.
package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/campaign"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/trust"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// seedBudget is the number of bytes of seeds read before the campaign begins, so that broken ones are named at once;
// the rest are read when they are picked.
const seedBudget = 4 << 20

// patience is the budget of reducers: the campaign ends them by its own time limit.
var patience = script.Budget{Steps: 1 << 40, Wall: 24 * time.Hour, Heap: script.DefaultBudget.Heap}

var theRegistry = sync.OnceValues(script.Registry)

// Load runs a campaign file and returns its plan. It is an engine.Loader: errors are *engine.LoadError.
func Load(ctx context.Context, file string, o finding.Inputs, print func(string)) (*engine.Plan, error) {
	reg, err := theRegistry()
	if err != nil {
		return nil, &engine.LoadError{Fault: engine.FaultInternal, Err: err}
	}
	script.Supply().LookNear(foldersNear(file, &o)...)
	if o.Solvers != nil {
		script.Supply().Restrict(o.Solvers)
	}
	l := &load{file: file, o: o, spec: &campaign.Spec{}, laws: &laws{}, settings: engine.NewSettings(o.Set)}
	var answers testcase.Answers
	if o.Answers != "" {
		text, err := os.ReadFile(o.Answers)
		if err == nil {
			answers, err = testcase.DecodeAnswers(text)
		}
		if err != nil {
			return nil, &engine.LoadError{Fault: engine.FaultUsage, Err: fmt.Errorf("--answers %s: %w", o.Answers, err)}
		}
	}
	src, err := l.sourcesFor(reg)
	if err != nil {
		return nil, &engine.LoadError{Fault: engine.FaultDisk, Err: err}
	}
	l.reg = reg
	opts := script.InterpreterOptions{Setup: l.setThreadSlots, Print: print, Folders: o.Read, Below: o.Below, Noted: o.Noted, At: o.At, Stuck: stuckHandler(&o)}
	in := script.New(src, opts)
	l.laws.in = in
	if o.Text != "" {
		_, err = in.ExecText(ctx, script.Campaign, l.name())
	} else {
		_, err = in.Exec(ctx, script.Campaign, file)
	}
	if err != nil {
		return nil, classifyFault(ctx, err)
	}
	if err := l.settings.Check(); err != nil {
		return nil, &engine.LoadError{Fault: engine.FaultUsage, Err: err}
	}
	if err := l.laws.check(ctx); err != nil {
		return nil, classifyFault(ctx, err)
	}
	if o.Worker <= 1 { // one worker finds what there is to find
		for _, s := range l.spec.Preflights() {
			if err := s.Preflight(ctx); err != nil {
				if ctx.Err() != nil {
					return nil, classifyFault(ctx, err)
				}
				return nil, &engine.LoadError{Fault: engine.FaultScript, Err: in.ErrorAt(s.Made, err)}
			}
		}
	}
	h := campaign.Host{
		Thread: threadMaker(in, src, opts),
		Models: memo.User(), Answers: answers, SeedBudget: seedBudget, Seed: o.Seed, Led: o.Change != nil,
		Seeds: func() *value.Corpus {
			seeds, err := value.Bundled(stdlib.FS())
			if err != nil {
				return nil
			}
			return seeds
		},
		Installed: func() []*solvers.Solver {
			found, _ := script.Supply().Installed() // an error of the library's profiles was told when the file used them
			return found
		},
		Builds: func(p *solvers.Profile) []*solvers.Solver { return script.Supply().Solvers(p) }, Debug: script.Supply().Debug,
		Known: script.Supply().Known,
	}
	h.Again = o.Command
	if o.Text == "" {
		h.File, h.Again = file, runCommand(file, &o)
	}
	p, err := l.spec.MakePlan(ctx, h)
	if err != nil {
		return nil, classifyFault(ctx, err)
	}
	p.File = file
	if p.Sources, err = sourcesOf(in, l.textOrFile()); err != nil {
		return nil, classifyFault(ctx, err)
	}
	p.Sources.Settings = o.Set
	// The command line comes before the campaign file: who runs it knows the machine.
	p.Limits = o.Limits.Or(p.Limits)
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(file), ".star")
	}
	return p, nil
}

// stuckHandler returns the function that an interpreter calls when a step of a script cannot be interrupted.
func stuckHandler(o *finding.Inputs) func(*script.ScriptError) {
	if o.Stuck == nil {
		return nil
	}
	return func(err *script.ScriptError) { o.Stuck(err) }
}

// foldersNear lists the folders beside which, or above which, unpacked solvers are looked for.
func foldersNear(file string, o *finding.Inputs) []string {
	folders := []string{o.Dir}
	if o.Text == "" && !strings.HasPrefix(file, "@std//") {
		folders = append(folders, filepath.Dir(file))
	}
	return append(folders, o.Near...)
}

// runCommand is the command line that runs a campaign file as the options say.
func runCommand(file string, o *finding.Inputs) string {
	words := []string{"smtlark", "run", file}
	for _, name := range slices.Sorted(maps.Keys(o.Set)) {
		words = append(words, "--set", name+"="+o.Set[name])
	}
	for _, folder := range o.Read {
		words = append(words, "--read", folder)
	}
	for i, w := range words {
		words[i] = folder.ShellWord(w)
	}
	return strings.Join(words, " ")
}

// threadMaker makes the threads that call the functions of a campaign file that has run.
func threadMaker(in *script.Interpreter, src *script.Sources, opts script.InterpreterOptions) func(name string, slow bool) registry.Thread {
	opts.Budget = patience
	patient := script.New(src, opts)
	return func(name string, slow bool) registry.Thread {
		if slow {
			return patient.NewThread(script.Case, name)
		}
		return in.NewThread(script.Case, name)
	}
}

// sourcesOf returns the texts that a campaign file that has run consists of.
func sourcesOf(in *script.Interpreter, file string) (*finding.Sources, error) {
	name, texts, err := in.Texts(file)
	if err != nil {
		return nil, err
	}
	return &finding.Sources{File: name, Texts: texts}, nil
}

// load is one campaign file being run.
type load struct {
	reg      *registry.Registry
	replay   bool // for its functions only, to replay a finding
	file     string
	o        finding.Inputs
	spec     *campaign.Spec
	laws     *laws
	settings *engine.Settings
}

// name returns the name of a campaign given as text.
func (l *load) name() string { return filepath.Base(l.file) }

// textOrFile returns the key of the campaign in script.Interpreter.Texts.
func (l *load) textOrFile() string {
	if l.o.Text != "" {
		return l.name()
	}
	return l.file
}

// Root returns the absolute folder that "//" stands for in a campaign file.
func Root(file string, o *finding.Inputs) (string, error) {
	root, err := o.Dir, error(nil)
	switch {
	case root != "":
	case o.Text != "" || strings.HasPrefix(file, "@std//"):
		root, err = os.Getwd()
	default:
		root, err = script.ProjectRoot(file)
	}
	if err != nil {
		return "", err
	}
	return filepath.Abs(root)
}

// sourcesFor returns the modules that the campaign may load.
func (l *load) sourcesFor(reg *registry.Registry) (*script.Sources, error) {
	root, err := Root(l.file, &l.o)
	if err != nil {
		return nil, err
	}
	src := script.NewSources(reg, stdlib.FS(), root)
	if l.o.Text != "" {
		src.SetText(l.name(), []byte(l.o.Text))
	}
	return src, nil
}

// Loads returns the texts of the modules that a campaign file loads, by their canonical names, without running
// anything.
func Loads(file string, o finding.Inputs) (map[string][]byte, error) {
	reg, err := theRegistry()
	if err != nil {
		return nil, err
	}
	l := &load{file: file, o: o}
	src, err := l.sourcesFor(reg)
	if err != nil {
		return nil, err
	}
	if o.Text != "" {
		file = filepath.Join(src.Root(), l.name())
	}
	return src.Loads(file)
}

// setThreadSlots fills the slots of a thread.
func (l *load) setThreadSlots(kind script.ThreadKind, th *starlark.Thread) {
	solving.Attach(script.Supply(), th)
	value.RulesKey.Set(th, script.StandardRules)
	l.laws.attach(kind, th)
	campaign.SettingsKey.Set(th, l.settings)
	solving.OutKey.Set(th, l.o.Out)
	if kind == script.Campaign {
		campaign.SpecKey.Set(th, l.spec)
		campaign.ReplayKey.Set(th, &campaign.Replay{Load: l.campaignLoader(th), Programs: l.o.Programs, At: otherProgram})
		if len(l.o.Programs) > 0 {
			registry.StandInKey.Set(th, true)
		}
	}
	if l.o.From != "" {
		registry.FromKey.Set(th, l.o.From)
	}
	if l.replay {
		registry.ReplayKey.Set(th, true)
	}
}

// campaignLoader returns what runs the campaign file of a finding, whose path is relative to the file that replays it.
func (l *load) campaignLoader(th *starlark.Thread) func(context.Context, string, map[string]string) (*campaign.Loaded, error) {
	return func(ctx context.Context, file string, set map[string]string) (*campaign.Loaded, error) {
		if l.replay {
			return nil, errors.New("the campaign file of a finding replays another one")
		}
		own := &load{reg: l.reg, replay: true, file: file, spec: &campaign.Spec{}, laws: &laws{}, settings: engine.NewSettings(set)}
		own.o.Out = l.o.Out
		if !strings.HasPrefix(file, "@std//") {
			files, err := registry.FilesKey.Get(th)
			if err != nil {
				return nil, err
			}
			if own.file, err = files.Path(file); err != nil {
				return nil, err
			}
		}
		src, err := own.sourcesFor(l.reg)
		if err != nil {
			return nil, err
		}
		opts := script.InterpreterOptions{Setup: own.setThreadSlots, Folders: l.o.Read, At: l.o.At, Stuck: stuckHandler(&l.o)}
		in := script.New(src, opts)
		own.laws.in = in
		if _, err := in.Exec(ctx, script.Campaign, own.file); err != nil {
			return nil, err
		}
		return &campaign.Loaded{Spec: own.spec, Thread: threadMaker(in, src, opts)}, nil
	}
}

// otherProgram returns a target with another program, or C library, in the place of its solver.
func otherProgram(ctx context.Context, s *solving.SolverValue, path string) (*solving.SolverValue, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	other, err := s.WithProgram(ctx, script.Supply(), abs)
	if err != nil {
		return nil, err
	}
	return &solving.SolverValue{Solver: other, Made: s.Made}, nil
}

// classifyFault says whose mistake an error of a campaign file is.
func classifyFault(ctx context.Context, err error) error {
	var known *engine.LoadError
	var missing *catalogue.MissingError
	var unfinished *learn.Unfinished
	var untrusted *trust.UntrustedError
	var internal interface{ Internal() bool }
	f := engine.FaultScript
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		f = known.Fault
	case errors.As(err, &untrusted):
		f = engine.FaultTrust
	case errors.As(err, &missing), errors.As(err, &unfinished):
		f = engine.FaultSolver
	case errors.As(err, &internal) && internal.Internal():
		f = engine.FaultInternal
	}
	return &engine.LoadError{Fault: f, Err: err}
}
