package campaigns

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/growth"
	"github.com/smtlark/smtlark/engine/campaign/hazard"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/results/report"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/starlark/host"
)

func init() {
	command.Register("run", newRun)
}

const runAbout = `Runs the campaign that FILE describes until one of its stop conditions holds or you press ^C. Running cases then end, findings are
confirmed and reduced for a short while, and a summary is printed. A second ^C stops at once.

A case may depend on an answer that a solver gave while the case was made, such as a model of its seed. For such a case --case needs
--expect, which identifies the case, or --answers, which replays the recorded answers. It needs neither for a finding of this
folder, nor with --print, which names the solvers whose answers the case uses.

Findings go to findings/ and statistics to runs/, both in the folder that --out names. The same seed gives the same
cases, whatever the number of workers is.

The same command continues where its last run in that folder stopped, even after a crash; --fresh starts over. Limits such as
--cases count from the first case of the campaign, times from the start of the run. Meanwhile existing findings are replayed:
one that no longer reproduces becomes "fixed in VERSION". The next run of the same command does what this one has no time for.

Exit codes: 0 nothing found, 10 findings, 11 only flaky or unsettled ones, 64 usage, 65 error in the campaign file, 69 no
usable solver, 70 internal error or cases that no worker survived, 74 reading or writing failed.

With --fail-on new the exit code is 10 or 11 only for findings that were not in the folder before, and for fixed ones that are back.
Findings of an earlier run or of another campaign do not count, whatever their status. With --fail-on none findings
give exit code 0. The other codes stay the same. docs/ci.md has recipes.`

// runOptions are the flags of run and fuzz.
type runOptions struct {
	stop      finding.Stop
	seed      string
	set       []string
	read      []string
	importing bool   // the cases are known reports
	again     string // flags that say where the campaign writes and whom it trusts, as they were given
	workers   int
	out       string
	fresh     bool
	keepGoing bool
	timeout   time.Duration
	memory    int64
	quiet     bool
	coverage  string
	change    changeOptions
	metrics   string
	failOn    string
	onFinding string // a command of sh
	settle    bool   // see smtlark settle

	leftVerdicts bool // settle: the store holds verdicts of a campaign with this seed
	cluster      clusterOptions
	caseOptions

	seedValue uint64
	setValue  map[string]string
}

// caseOptions select one case of a campaign and set the inputs that it is made with.
type caseOptions struct {
	caseText  string
	caseValue *uint64
	expect    string
	answers   string
	avoid     []string
	weights   []uint
	print     bool
}

func runFlags(fs *pflag.FlagSet) *runOptions {
	o := &runOptions{}
	command.DurationFlag(fs, &o.stop.After, "for", 0, "stop after this `time`, such as 90s, 8h or 2d (a plain number is seconds), confirming and reducing included")
	fs.Uint64Var(&o.stop.Cases, "cases", 0, "stop after `N` cases, those of earlier runs that it resumes included")
	fs.IntVar(&o.stop.Findings, "findings", 0, "stop after `N` new findings")
	command.DurationFlag(fs, &o.stop.Quiet, "until-quiet", 0, "stop when nothing new was found for this `time`")
	fs.StringVar(&o.seed, "seed", "", "`seed` of the campaign, such as 7 or 0x51f2; default: that of its latest run here, else a random one")
	fs.BoolVar(&o.fresh, "fresh", false, "start over with the first case, and with a new seed unless --seed gives one")
	fs.StringVar(&o.caseText, "case", "", "run only case number `N`, and tell what each target does")
	fs.StringVar(&o.expect, "expect", "", "with --case: `identity` of the case, as a finding names it; another case is an error")
	fs.StringVar(&o.answers, "answers", "", "with --case: `file` with the answers of solvers that the case was made with, answers.json of its finding; without it the solvers of this machine are asked")
	fs.StringSliceVar(&o.avoid, "avoid", nil, "with --case: `shapes` that the case does without, as a finding or the log names them with a case")
	fs.UintSliceVar(&o.weights, "weights", nil, "weights of the techniques of a mix(adapt = True), as a finding or the log names them with a case: `N,N,...`")
	fs.BoolVar(&o.print, "print", false, "with --case: print the case and do not run it")
	fs.IntVarP(&o.workers, "workers", "j", 0, "number of worker processes; default: one for each processor")
	fs.StringVar(&o.out, "out", ".", "`folder` for findings/ and runs/")
	command.ReadFlag(fs, &o.read)
	fs.StringArrayVar(&o.set, "set", nil, "set a variable of the campaign file, `name=value`; may be repeated")
	command.DurationFlag(fs, &o.timeout, "timeout", 0, "`time` limit of one run of a solver; default: what the campaign file says")
	fs.Int64Var(&o.memory, "memory", 0, "memory limit of one run of a solver in `MiB`; default: what the campaign file says")
	fs.BoolVar(&o.keepGoing, "keep-going", false, "count errors of the campaign file instead of stopping at the first one")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "show neither a status nor what the campaign file prints")
	fs.StringVar(&o.onFinding, "on-finding", "", onFindingHelp)
	fs.StringVar(&o.failOn, "fail-on", report.FailOnAny, "which `findings` make exit code 10 or 11: any, new or none")
	command.SafetyFlags(fs)
	command.ProfileFlag(fs)
	o.cluster.flags(fs)
	fs.StringVar(&o.coverage, "coverage", "", "what is done about the edges that solvers built with AFL++ take (docs/coverage.md): `WHAT` is grow (cases that take new ones become seeds; the default where a solver counts them), count, statistics (grow, by counters that z3, cvc5, CVC4 and Yices tell of themselves) or off")
	o.change.flags(fs)
	fs.StringVar(&o.metrics, "metrics", "", "serve metrics for Prometheus at this `address`, such as :9464; without a host: loopback only")
	return o
}

// Validate checks the flags together.
func (o *runOptions) Validate(fs *pflag.FlagSet) (err error) {
	if fs.Changed("out") {
		o.again += " " + shellJoin("--out", o.out)
	}
	if fs.Changed("trust") {
		o.again += " --trust"
	}
	switch {
	case o.stop.After < 0 || o.stop.Quiet < 0 || o.timeout < 0 || o.memory < 0 || o.stop.Findings < 0:
		return errors.New("times and limits are not negative")
	case fs.Changed("cases") && o.stop.Cases == 0:
		return errors.New("--cases 0 would do nothing")
	case o.workers < 0 || fs.Changed("workers") && o.workers == 0:
		return errors.New("--workers wants at least 1")
	case o.print && o.caseText == "":
		return errors.New("--print needs --case N")
	case !slices.Contains(report.FailOns, o.failOn):
		return fmt.Errorf("--fail-on %s: want %s", o.failOn, strings.Join(report.FailOns, ", "))
	case !slices.Contains([]string{"", finding.CoverageGrow, finding.CoverageCount, finding.CoverageStatistics, finding.CoverageOff}, o.coverage):
		return fmt.Errorf("--coverage %s: want grow, count, statistics or off", o.coverage)
	case (o.expect != "" || o.answers != "") && o.caseText == "":
		return errors.New("--expect and --answers need --case N")
	}
	if err := o.change.read(fs, o.coverage, o.cluster.address); err != nil {
		return err
	}
	if o.seed == "" {
		// Few digits, since people type seeds again.
		var b [4]byte
		if _, err := rand.Read(b[:]); err != nil {
			return err
		}
		o.seedValue = uint64(binary.LittleEndian.Uint32(b[:]))
	} else if o.seedValue, err = strconv.ParseUint(o.seed, 0, 64); err != nil {
		return fmt.Errorf("--seed %s: want a number from 0 to 2^64-1, decimal or 0x…", o.seed)
	}
	if err := o.cluster.validate(fs); err != nil {
		return err
	}
	if o.cluster.address != "" && o.caseText != "" {
		return errors.New("--case runs one case on this machine: leave --cluster out")
	}
	if o.caseText != "" {
		n, err := strconv.ParseUint(o.caseText, 0, 63)
		if err != nil {
			return fmt.Errorf("--case %s: want the number of a case", o.caseText)
		}
		if o.seed == "" {
			return errors.New("--case needs --seed: a case is known by both")
		}
		o.caseValue = &n
	}
	if err := command.CheckFolders(o.read); err != nil {
		return err
	}
	o.setValue = map[string]string{}
	for _, s := range o.set {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return fmt.Errorf("--set %s: want name=value", s)
		}
		o.setValue[name] = value
	}
	return nil
}

// completeRun lets a shell complete the flags of campaigns.
func completeRun(c *cobra.Command) {
	command.Choices(c, "fail-on", report.FailOns...)
	command.Choices(c, "coverage", finding.CoverageGrow, finding.CoverageCount, finding.CoverageStatistics, finding.CoverageOff)
}

func newRun(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "run FILE [flags]",
		Short:   "run a campaign",
		Long:    runAbout,
		GroupID: command.GroupCampaigns,
	}
	fs := c.Flags()
	o := runFlags(fs)
	completeRun(c)
	command.Does(c, func(ctx context.Context) int {
		if err := o.Validate(fs); err != nil {
			return e.UsageError("run", "%v", err)
		}
		files := o.cluster.arguments(fs)
		if len(files) != 1 {
			return e.UsageError("run", "want one campaign file, got %d arguments", len(files))
		}
		file := files[0]
		if _, err := os.Stat(file); err != nil && !strings.HasPrefix(file, "@std//") {
			return e.UsageError("run", "no such campaign file: %s", file)
		}
		if ext := filepath.Ext(file); ext == ".smt2" || ext == ".smtml" {
			return e.UsageError("run", "%s is a file of SMT-LIB, and no campaign file: smtlark check, solve and reduce take one, smtlark fuzz --seeds makes others from it", file)
		}
		if script.Reproduces(file) {
			return replay(ctx, e, "run", file, o.out, nil, replayTimes)
		}
		return o.campaign(ctx, e, "run", file, finding.Inputs{}, shellJoin("smtlark", "run", file))
	})
	return c
}

// config returns what both ways to use a campaign need.
func (o *runOptions) config(file string, opts finding.Inputs) (coordinator.Config, error) {
	exe, err := os.Executable()
	if err != nil {
		return coordinator.Config{}, err
	}
	opts.Seed, opts.Set, opts.Coverage = o.seedValue, o.setValue, o.coverage
	opts.Change, opts.Root = o.change.lines, o.change.root
	for _, folder := range o.read {
		abs, err := filepath.Abs(folder)
		if err != nil {
			return coordinator.Config{}, err
		}
		opts.Read = append(opts.Read, abs)
	}
	if opts.Out, err = filepath.Abs(o.out); err != nil {
		return coordinator.Config{}, err
	}
	for _, w := range o.weights {
		opts.Weights = append(opts.Weights, uint32(min(w, math.MaxUint32)))
	}
	if err := hazard.Check(o.avoid); err != nil {
		return coordinator.Config{}, fmt.Errorf("--avoid: %w", err)
	}
	opts.Avoid = o.avoid
	opts.Expect = o.expect
	if o.answers != "" {
		if opts.Answers, err = filepath.Abs(o.answers); err != nil {
			return coordinator.Config{}, err
		}
	}
	opts.Limits = solvers.Limits{Wall: o.timeout, Memory: o.memory << 20}
	return coordinator.Config{
		File: file, Options: opts, Command: []string{exe, "worker"}, Workers: o.workers, Stop: o.stop, Case: o.caseValue, KeepGoing: o.keepGoing, Settle: o.settle,
	}, nil
}

// campaign runs a campaign file. again is the command without flags that does it once more.
func (o *runOptions) campaign(ctx context.Context, e *command.Env, verb, file string, opts finding.Inputs, again string) int {
	if flags := o.setFlags(); opts.Command == "" && (opts.Text != "" || flags != "") { // a file alone names itself
		opts.Command = again + flags
	}
	cfg, err := o.config(file, opts)
	if err != nil {
		return e.Fail(command.ExitInternal, verb, err)
	}
	if o.caseValue != nil && o.expect == "" && o.answers == "" {
		cfg.Options.Asked = !o.print
		if cfg.Options.Recorded, err = store.Recorded(o.out, cmp.Or(cfg.Options.Command, "smtlark run "+folder.ShellWord(file)), cfg.Options.Seed, *o.caseValue); err != nil {
			return e.Fail(command.ExitDisk, verb, err)
		}
	}
	if o.caseValue != nil {
		cfg.Corpus = corpusOf(o.out, file, cfg.Options.Seed)
		if o.coverage != finding.CoverageCount && o.coverage != finding.CoverageOff {
			if cfg.Options.Grown, err = growth.SeedsFor(cfg.Corpus, *o.caseValue); err != nil {
				return e.Fail(command.ExitDisk, verb, err)
			}
		}
	}
	if o.print {
		return o.show(ctx, e, verb, cfg)
	}
	lease, err := o.cluster.lead(ctx, &cfg, o.seed != "", o.fresh, func(text string) { fmt.Fprintln(e.Stderr, text) })
	if err != nil {
		return campaignExit(e, verb, nil, err)
	}
	if lease != nil {
		defer lease.Release() // when nothing more is written
	}
	db, err := store.Open(o.out)
	if err != nil {
		return e.Fail(command.ExitDisk, verb, fmt.Errorf("findings cannot be stored: %w", err))
	}
	defer db.Close()
	if lease != nil {
		name, err := campaignName(&cfg)
		if err == nil {
			err = db.Lead(string(name), store.LeaderTerm(lease.LeaderTerm))
		}
		if err != nil {
			return e.Fail(command.ExitDisk, verb, err)
		}
	}
	cfg.Store = db
	if n, err := db.Unlisted(); err == nil && n > 0 && !o.importing {
		fmt.Fprintf(e.Stderr, "smtlark %s: smtlark.db has none of the findings of %s (%d): `smtlark findings import %s` takes them in\n",
			verb, db.Findings(), n, db.Findings())
	}
	from, err := o.resume(db, &cfg, file)
	if err != nil {
		return e.Fail(command.ExitDisk, verb, err)
	}
	if o.leftVerdicts && cfg.Resume == nil {
		return e.Fail(command.ExitScript, verb, fmt.Errorf("%s: nothing in %s belongs to this campaign with seed 0x%x, whose file, modules or settings are others now", file, o.out, cfg.Options.Seed))
	}
	if o.caseValue == nil {
		cfg.Corpus = corpusOf(o.out, file, cfg.Options.Seed)
	}
	// Count regressed findings before and after the run, since only those of this run affect its exit code.
	backBefore, err := db.Regressed()
	if err != nil {
		return e.Fail(command.ExitDisk, verb, err)
	}
	log := &runLog{store: db, begun: time.Now()}
	cfg.Log = log
	status := e.Stderr
	if o.quiet {
		status = nil
	}
	screen := report.NewScreen(e.Stdout, e.Stderr, status)
	cfg.Publish = screen.Update
	cfg.Print = func(kind coordinator.Line, text string) {
		if !o.quiet || kind != coordinator.LinePrint {
			screen.Println(kind, e.Runnable(text))
		}
	}
	cfg.OnPlan = func(p *finding.Plan) {
		log.open(p)
		if o.caseValue == nil && !o.settle {
			cfg.Print(coordinator.LinePrint, o.aim(p, db.Findings()))
		}
	}
	if o.metrics != "" {
		stop, err := ServeMetrics(o.metrics, &cfg, screen)
		if err != nil {
			screen.Close()
			return e.UsageError(verb, "--metrics %v", err)
		}
		defer stop()
	}
	cfg.Rescue = func(f *finding.Finding, err error) {
		screen.Println(coordinator.LineWarning, folder.Rescue(f, err))
	}
	if from != "" {
		screen.Println(coordinator.LinePrint, from)
	}
	var told *hook
	if o.onFinding != "" && o.caseValue == nil {
		told = startHook(o.onFinding, o.out, func(text string) { screen.Println(coordinator.LineWarning, text) })
		cfg.OnFinding = told.tell
	}
	command.KeepHeapSmall()
	var st *metrics.Stats
	if o.cluster.address != "" {
		st, err = o.cluster.run(ctx, &cfg, o.out)
	} else {
		st, err = coordinator.Run(ctx, cfg)
	}
	if told != nil {
		told.close()
	}
	for _, err := range db.Broken() {
		screen.Println(coordinator.LineWarning, err.Error())
	}
	// The summary must not be mixed with the line that shows the state.
	screen.Close()
	if closeErr := log.close(); err == nil && closeErr != nil && st != nil {
		err = &campaign.LoadError{Fault: campaign.FaultDisk, Err: closeErr}
	}
	if st != nil {
		// With --fresh, since these cases are to be made again, and not those that come next.
		again = fmt.Sprintf("%s --seed %s --cases %d --fresh", again+o.setFlags()+o.again, st.Seed, st.Next)
		if o.caseValue != nil || o.settle || o.importing {
			again = ""
		}
		var fault *campaign.LoadError
		if st.Cases == 0 && errors.As(err, &fault) && (fault.Fault == campaign.FaultScript || fault.Fault == campaign.FaultUsage) {
			e.NoteTrust(err, cfg.File, cmp.Or(cfg.Options.From, cfg.Options.Dir))
			return campaignExit(e, verb, st, err) // there is nothing to sum up
		}
		if rest, ok := strings.CutPrefix(again, "smtlark "); ok {
			again = e.Program() + " " + rest
		}
		report.Summary(e.Stdout, st, report.Where{Findings: db.Findings(), Run: log.dir(), Again: again, Program: e.Program(), Width: e.Columns()})
		if n, err := db.Stale(); err == nil && n > manyFolders {
			fmt.Fprintf(e.Stderr, "writing how often each was seen into the folders of %d findings\n", n)
		}
	}
	e.NoteTrust(err, cfg.File, cmp.Or(cfg.Options.From, cfg.Options.Dir))
	if st != nil {
		back, listErr := db.Regressed()
		if listErr != nil {
			return e.Fail(command.ExitDisk, verb, listErr)
		}
		st = o.counted(st, slices.ContainsFunc(back, func(n int) bool { return !slices.Contains(backBefore, n) }))
	}
	if err == nil && st != nil && o.caseValue == nil && !o.settle && st.Findings.New+st.Findings.Known == 0 && st.Internal+st.Killed == 0 {
		if code, why := nothingTested(st, &cfg); why != nil {
			return e.Fail(code, verb, why)
		}
	}
	return campaignExit(e, verb, st, err)
}

// nothingTested returns why a campaign made no case, with an exit code that differs from that of a campaign without
// findings; nil if it made some.
func nothingTested(st *metrics.Stats, cfg *coordinator.Config) (int, error) {
	before := uint64(0)
	if cfg.Resume != nil {
		before = cfg.Resume.Next
	}
	switch {
	case st.Cases > 0:
		return command.ExitOK, nil
	case st.Skipped > 0:
		return command.ExitScript, coordinator.NothingMade(st, true)
	case st.StopReason == coordinator.Interrupted:
		return command.ExitInterrupted, errors.New("interrupted before the first case: nothing was tested")
	case cfg.Stop.Cases > 0 && before >= cfg.Stop.Cases:
		return command.ExitUsage, fmt.Errorf("nothing was tested: an earlier run came to case %d, and --cases counts from case 0 of the campaign: --cases %d makes %d more, --fresh starts over",
			before, before+cfg.Stop.Cases, cfg.Stop.Cases)
	case st.Late != "":
		return command.ExitNoCase, fmt.Errorf("nothing was tested: no case was made before the campaign ended (%s); it took %s", st.StopReason, st.Late)
	}
	return command.ExitNoCase, fmt.Errorf("nothing was tested: no case was made before the campaign ended (%s)", st.StopReason)
}

// corpusOf returns the folder of the cases that become seeds of a campaign.
func corpusOf(out, file string, seed uint64) string {
	name := strings.TrimSuffix(filepath.Base(strings.TrimPrefix(file, "@std//")), ".star")
	return filepath.Join(out, "corpus", fmt.Sprintf("%s-%x", name, seed))
}

// manyFolders is with how many folders to bring up to date the end of a run takes so long that it says why.
const manyFolders = 50

// counted returns the statistics with only the findings that --fail-on counts as failures; regressed says that a fixed
// finding is back.
func (o *runOptions) counted(st *metrics.Stats, regressed bool) *metrics.Stats {
	judged := *st
	f := &judged.Findings
	// Nobody asked to test these solvers.
	f.New -= f.NewOfReferences
	f.Known -= f.KnownOfReferences
	switch o.failOn {
	case report.FailOnNone:
		f.New, f.Known, f.Flaky, f.Waiting = 0, 0, 0, 0
	case report.FailOnNew:
		f.Known = 0
		f.Waiting -= f.WaitingLikeKnown
		if regressed {
			f.New++
		}
	}
	return &judged
}

// resume continues a campaign where its earlier run ended, and returns a line that says so.
func (o *runOptions) resume(db *store.Store, cfg *coordinator.Config, file string) (string, error) {
	if o.caseValue != nil {
		return "", nil
	}
	id := store.Identity{File: file, Text: cfg.Options.Text, Set: o.change.identity(o.setValue)}
	if o.seed != "" {
		id.Seed = &o.seedValue
	}
	if id.Text == "" && !strings.HasPrefix(file, "@std//") {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if id.File, err = filepath.Abs(file); err != nil {
			return "", err
		}
		id.Text = string(text)
	}
	var err error
	if id.Loads, err = host.Loads(file, cfg.Options); err != nil {
		return "", err
	}
	r, err := db.Campaign(id, o.seedValue, o.fresh)
	if err != nil {
		return "", err
	}
	cfg.Options.Seed, cfg.Resume = r.Seed, r.From
	switch {
	case r.Busy:
		return fmt.Sprintf("another process runs this campaign here: this one has seed 0x%x and will not be resumed", r.Seed), nil
	case len(r.Changed) > 0 && r.Before.Next > 0 && cfg.Options.Text == "":
		return fmt.Sprintf("%s changed since the last run, which had come to case %d of seed %s: this is another campaign, and begins with case 0", strings.Join(r.Changed, ", "), r.Before.Next, r.Before.Seed), nil
	case r.From != nil && r.From.Next > 0:
		return fmt.Sprintf("goes on at case %d of seed 0x%x; --fresh starts over", r.From.First(), r.Seed), nil
	}
	return "", nil
}

func (o *runOptions) setFlags() string {
	out := ""
	for _, s := range o.set {
		out += " " + shellJoin("--set", s)
	}
	for _, folder := range o.read {
		out += " " + shellJoin("--read", folder)
	}
	if o.coverage != "" { // cases may be made of others
		out += " --coverage " + o.coverage
	}
	out += o.change.again()
	if confine.Current() == confine.None { // solvers may have been sent other options
		out += " --unsafe-solver"
	}
	return out
}

// show prints one case.
func (o *runOptions) show(ctx context.Context, e *command.Env, verb string, cfg coordinator.Config) int {
	cfg.Print = func(_ coordinator.Line, text string) { e.Said(text) }
	w, err := coordinator.Show(ctx, cfg, *o.caseValue)
	var skip *campaign.SkipError
	if errors.As(err, &skip) {
		fmt.Fprintf(e.Stderr, "smtlark %s: there is no case %d: %s\n", verb, *o.caseValue, display.Text(err.Error()))
		return command.ExitOK
	}
	if err != nil {
		e.NoteTrust(err, cfg.File, cfg.Options.Dir)
		return campaignExit(e, verb, nil, err)
	}
	fmt.Fprint(e.Stdout, caseComments(w)+w.Script)
	if on := w.Origin.Answers.RestsOn(); on != "" && o.expect == "" && o.answers == "" && len(cfg.Options.Recorded) == 0 {
		fmt.Fprintf(e.Stderr, "note: this case rests on %s, so another machine may make another one; --expect %s names it\n", on, w.Origin.Identity)
	}
	return command.ExitOK
}

// caseComments returns the facts about a case as comments.
func caseComments(w *testcase.Wire) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, "; %s\n", strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n; "))
	}
	line("case %d of %s, technique %s, seed 0x%x", w.Origin.Number, w.Origin.Campaign, w.Origin.Technique, w.Origin.Seed)
	if len(w.Origin.Seeds) > 0 {
		line("made from %s", strings.Join(w.Origin.Seeds, ", "))
	}
	if len(w.Origin.Steps) > 0 {
		line("steps: %s", strings.Join(w.Origin.Steps, ", "))
	}
	for i := range w.Origin.Answers {
		line("made with the %s", &w.Origin.Answers[i])
	}
	if w.Origin.Identity != "" {
		line("identity: %s", w.Origin.Identity)
	}
	if len(w.Expect) > 0 {
		line("expected: %s", strings.Join(w.Expect, " "))
	}
	if w.Witness != "" {
		line("witness:\n%s", strings.TrimSpace(w.Witness))
	}
	return b.String()
}

// campaignExit reports the error of a campaign and returns the exit code.
func campaignExit(e *command.Env, verb string, st *metrics.Stats, err error) int {
	var fault *campaign.LoadError
	switch {
	case errors.As(err, &fault):
		code := map[campaign.Blame]int{
			campaign.FaultScript: command.ExitScript, campaign.FaultTrust: command.ExitScript, campaign.FaultUsage: command.ExitUsage, campaign.FaultSolver: command.ExitSolver, campaign.FaultDisk: command.ExitDisk,
		}[fault.Fault]
		if code == 0 {
			code = command.ExitInternal
		}
		if code == command.ExitScript {
			fmt.Fprintln(e.Stderr, display.Text(err.Error()))
			return code
		}
		return e.Fail(code, verb, err)
	case errors.Is(err, context.Canceled):
		return e.Fail(command.ExitInterrupted, verb, errors.New("interrupted before it began: nothing was tested"))
	case err != nil:
		return e.Fail(command.ExitInternal, verb, err)
	case st == nil:
		return command.ExitOK
	case st.Internal > 0:
		return e.Fail(command.ExitInternal, verb, fmt.Errorf("%d internal errors (see above)", st.Internal))
	case st.Findings.New+st.Findings.Known > 0:
		return command.ExitFindings
	case st.Killed > 0:
		return e.Fail(command.ExitInternal, verb, fmt.Errorf("%d cases have no result: a worker died with each of them twice (see above)", st.Killed))
	case nothingWorked(st):
		return e.Fail(command.ExitSolver, verb, errors.New("no target ever worked: all runs could not be started, were killed, or gave no SMT-LIB replies; see `smtlark solvers`"))
	case st.Findings.Flaky+st.Findings.Waiting > 0:
		return command.ExitFlaky
	}
	return command.ExitOK
}

// nothingWorked reports a campaign all of whose runs failed in ways that have nothing to do with the cases.
func nothingWorked(st *metrics.Stats) bool {
	runs := uint64(0)
	for i := range st.Targets {
		t := &st.Targets[i]
		runs += t.Runs
		if t.Runs != t.Count(solvers.StartFailure, solvers.Killed, solvers.Garbage) {
			return false
		}
	}
	return runs > 0
}

// runLog is a campaign's log, opened as soon as the campaign's name is known.
type runLog struct {
	store *store.Store
	begun time.Time
	run   *store.RunLog
	err   error
}

// aim describes in words what a campaign will do.
func (o *runOptions) aim(p *finding.Plan, findings string) string {
	var names []string
	for _, t := range p.Targets {
		if name := strings.TrimSuffix(t.Kind+"-"+t.Version, "-"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text := fmt.Sprintf("%s: tests %s", display.Line(p.Name), display.Line(strings.Join(names, ", ")))
	if o.stop.After > 0 {
		text += fmt.Sprintf(" for %v", o.stop.After)
	}
	return text + "; what is found appears here and goes to " + display.Line(findings)
}

func (l *runLog) open(p *finding.Plan) { l.run, l.err = l.store.OpenRun(p.Name, l.begun) }

func (l *runLog) Event(name string, fields map[string]any) error {
	if l.run == nil {
		return l.err
	}
	return l.run.Event(name, fields)
}

func (l *runLog) Stats(s *metrics.Stats) error {
	if l.run == nil {
		return l.err
	}
	return l.run.Stats(s)
}

func (l *runLog) dir() string {
	if l.run == nil {
		return ""
	}
	return l.run.Dir()
}

func (l *runLog) close() error {
	if l.run == nil {
		return nil
	}
	return l.run.Close()
}

// shellJoin quotes words for a shell.
func shellJoin(words ...string) string {
	for i, w := range words {
		words[i] = folder.ShellWord(w)
	}
	return strings.Join(words, " ")
}
