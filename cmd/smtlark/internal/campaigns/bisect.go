package campaigns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/cmd/smtlark/internal/results"
	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/build"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/release"
	"github.com/smtlark/smtlark/solvers/trust"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register("bisect", newBisect)
}

const bisectAbout = `Runs the reduced case of finding N on every build of the solver that is wrong, prints what each does, and between which
versions that changed. The answers are kept with the finding; where the newest version does not show it, its status becomes
"fixed in VERSION". Builds are told apart by their content, not only by their version: two nightly builds are two.

It asks the solvers that "smtlark solvers" lists, releases that were fetched, those in the .solvers of the folder of --out, and those that the campaign
had when it found the bug. --fetch asks released versions of PyPI, too (see "smtlark solvers --help"): the oldest and the newest, and then always one in the
middle, until two neighbouring releases differ. They are kept in .solvers, and fetched once. It names builds that are known but no longer there. --program adds builds that are not installed,
such as those of a development branch.

A version that rejects the case, or does not support it, says nothing about when the mistake came.

Exit codes: 0, 10 when the newest version shows it, 69 when no build could be asked.`

// bisected is the result of one build.
type bisected struct {
	path    string // the program, or the library
	version string
	build   *build.Info
	given   bool   // by --program
	target  string // name of the target whose build varies
	info    finding.Replay
	err     error
}

// shown returns the name of the build in the table.
func (b *bisected) shown() string {
	if b.given {
		return b.path
	}
	return b.version
}

// did is the run of the target that was varied; oracles may have got other runs, too.
func (b *bisected) did() *finding.Run {
	for i := range b.info.Runs {
		if b.info.Runs[i].Target == b.target {
			return &b.info.Runs[i]
		}
	}
	return &b.info.Runs[0]
}

func newBisect(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "bisect N [flags]",
		Short:   "ask all versions of a solver about a finding",
		Long:    bisectAbout,
		GroupID: command.GroupCampaigns,
	}
	flags := c.Flags()
	out := flags.String("out", ".", "`folder` with smtlark.db and findings/")
	times := flags.Int("times", 3, "how `often` each version is asked")
	programs := flags.StringArray("program", nil, "another build of the solver, `path`; may be repeated")
	inOrder := flags.Bool("in-order", false, "the builds of --program were made one after the other, the oldest first: name those between which the finding came or went, and leave its status alone")
	fetch := flags.Bool("fetch", false, "fetch the released versions that are needed to name two neighbouring ones")
	command.SafetyFlags(flags)
	command.Arguments(c, func([]string) []string { return command.FindingNumbers(c) })
	command.Does(c, func(ctx context.Context) int {
		if flags.NArg() != 1 || *times < 1 {
			return e.UsageError("bisect", "want the number of one finding, and --times of at least 1")
		}
		o := &results.FindingsOptions{Out: *out}
		r, err := store.OpenReader(*out)
		if err != nil {
			return o.Failed(e, "bisect", err)
		}
		f, rec, err := r.Finding(flags.Arg(0))
		// Closed before the builds are asked, which takes long: a campaign may want to write.
		r.Close()
		if err != nil {
			return o.Failed(e, "bisect", err)
		}
		varied := folder.Varied(f)
		if len(varied) == 0 {
			return e.UsageError("bisect", "finding %s blames no target", rec.Name())
		}
		fmt.Fprintf(e.Stdout, "finding %s: %s\n", rec.Name(), display.Line(rec.Verdict.Summary))
		if len(varied) > 1 {
			if len(*programs) > 0 {
				return e.UsageError("bisect", "--program needs a finding that blames one target: here it is not known which target the program replaces")
			}
			fmt.Fprintln(e.Stdout, "no target is blamed: of each kind of solver in turn all builds are asked, and the others stay")
		}
		b := &bisection{out: *out, f: f, rec: rec, times: *times, programs: *programs}
		code, asked := command.ExitOK, 0
		for i := range varied {
			t := &varied[i]
			list, missing, err := b.ask(ctx, t)
			if err != nil {
				return e.Fail(command.ExitUsage, "bisect", err)
			}
			if *fetch {
				if list, err = b.narrow(ctx, e, t, list); err != nil {
					return e.Fail(command.ExitSolver, "bisect", err)
				}
			}
			if err := printBisect(e.Stdout, t.Kind, list, *inOrder); err != nil {
				return e.Fail(command.ExitDisk, "bisect", err)
			}
			for _, m := range missing {
				fmt.Fprintf(e.Stdout, "not asked, no longer there: %s\n", display.Line(m))
			}
			here := 0
			for i := range list {
				if list[i].err == nil {
					here++
				}
			}
			if here == 0 {
				fmt.Fprintf(e.Stderr, "smtlark bisect: no build of %s could be asked; `%s solvers` lists what is installed\n", t.Kind, e.Program())
				continue
			}
			asked += here
			// A user who gives builds in order knows an order that versions and dates do not show.
			if got := keepBisect(e, o, f, t, list, len(varied) == 1 && !*inOrder); got != command.ExitOK {
				code = got
			}
		}
		if asked == 0 {
			return command.ExitSolver
		}
		return code
	})
	return c
}

// bisection is a question about a finding, asked of many builds.
type bisection struct {
	out      string // the folder that it is in
	f        *finding.Finding
	rec      *folder.Record
	times    int
	programs []string // builds that are not installed
}

// ask asks the builds of a target's solver, and further programs.
func (x *bisection) ask(ctx context.Context, t *finding.Target) (list []bisected, missing []string, err error) {
	list, missing, err = buildsToAsk(ctx, x.out, x.f, x.rec, t)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range x.programs {
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, nil, err
		}
		if err := trust.ForNow(abs); err != nil { // the user typed it
			return nil, nil, err
		}
		b := bisected{path: abs, given: true}
		b.build, _ = build.Of([]string{abs}) // a program that is not there is told when it is asked
		list = append(list, b)
	}
	for i := range list {
		if err := x.one(ctx, t, &list[i]); err != nil {
			return nil, nil, err
		}
	}
	return list, missing, nil
}

// tells reports whether the result of a build helps to find when the bug was introduced: a build that rejects the case
// never reaches the bug.
func (b *bisected) tells() bool {
	if b.err != nil || b.info.Tries == 0 {
		return false
	}
	if b.info.Reproduced > 0 {
		return true
	}
	switch b.did().Class {
	case solvers.ParseError, solvers.Unsupported, solvers.Refusal, solvers.StartFailure, solvers.Killed, solvers.Cancelled:
		return false
	}
	return true
}

// narrow also asks released versions of a target's solver and fetches them: first the oldest and the newest, then
// versions between two that differ. list has the builds that were asked before. The result has all builds, the oldest
// version first.
func (x *bisection) narrow(ctx context.Context, e *command.Env, t *finding.Target, list []bisected) ([]bisected, error) {
	library := t.Mode == string(solvers.Native)
	if !slices.Contains(release.Known(), t.Kind) {
		return nil, fmt.Errorf("--fetch knows releases of %s, not of %s", strings.Join(release.Known(), ", "), t.Kind)
	}
	store := command.ReleaseStore(ctx, e, ".solvers")
	all, err := store.Versions(ctx, t.Kind)
	if err != nil {
		return nil, err
	}
	name := catalogue.Name{Solver: t.Kind}
	if library {
		name.Mode = solvers.Native
	}
	supply := script.NewSupply()
	left := slices.DeleteFunc(all, func(r release.Release) bool {
		return slices.ContainsFunc(list, func(b bisected) bool { return !b.given && b.version == r.Version })
	})
	for {
		r, more := nextRelease(list, left)
		if !more {
			return list, nil
		}
		left = slices.DeleteFunc(left, func(o release.Release) bool { return o == r })
		plan, err := store.Plan(ctx, release.Wish(r))
		if err == nil {
			_, err = store.Carry(ctx, plan)
		}
		if err != nil {
			return nil, err
		}
		file := store.At(r, library)
		if file == "" {
			continue // its wheel has no program, or no library
		}
		if name.Path, err = filepath.Abs(file); err != nil {
			return nil, err
		}
		if err := trust.ForNow(name.Path); err != nil { // the user asked for it
			return nil, err
		}
		found, err := supply.Named(ctx, name)
		if err != nil {
			continue // it does not run here
		}
		b := bisected{path: name.Path, version: r.Version, build: found.Build()}
		if err := x.one(ctx, t, &b); err != nil {
			return nil, err
		}
		place, _ := slices.BinarySearchFunc(list, b.version, func(o bisected, version string) int { return solvers.CompareVersions(o.version, version) })
		list = slices.Insert(list, place, b)
	}
}

// nextRelease returns the release to ask next: the newest or the oldest, where none so new or so old was asked, or the
// middle one between two neighbouring versions that differ. left are those that were not asked, the oldest first. No
// build of --program counts.
func nextRelease(list []bisected, left []release.Release) (release.Release, bool) {
	var known []*bisected
	for i := range list {
		if !list[i].given && list[i].tells() {
			known = append(known, &list[i])
		}
	}
	between := func(from, to string) (out []release.Release) {
		for _, r := range left {
			if (from == "" || solvers.CompareVersions(r.Version, from) > 0) && (to == "" || solvers.CompareVersions(r.Version, to) < 0) {
				out = append(out, r)
			}
		}
		return out
	}
	if len(known) == 0 {
		return lastOf(left)
	}
	if r, ok := lastOf(between(known[len(known)-1].version, "")); ok {
		return r, true
	}
	if known[0].info.Reproduced > 0 { // it came before: at which release that still takes the case?
		tooOld := ""
		for i := range list {
			if b := &list[i]; !b.given && !b.tells() && solvers.CompareVersions(b.version, known[0].version) < 0 {
				tooOld = b.version
			}
		}
		if before := between(tooOld, known[0].version); len(before) > 0 && tooOld == "" {
			return before[0], true
		} else if len(before) > 0 {
			return before[len(before)/2], true
		}
	}
	for i := 1; i < len(known); i++ {
		if (known[i-1].info.Reproduced > 0) == (known[i].info.Reproduced > 0) {
			continue
		}
		if open := between(known[i-1].version, known[i].version); len(open) > 0 {
			return open[len(open)/2], true
		}
	}
	return release.Release{}, false
}

func lastOf(list []release.Release) (release.Release, bool) {
	if len(list) == 0 {
		return release.Release{}, false
	}
	return list[len(list)-1], true
}

// buildsToAsk returns the builds of a target's solver that can be asked, the oldest version first, and names those that
// the finding knows of and that are no longer there.
func buildsToAsk(ctx context.Context, out string, f *finding.Finding, rec *folder.Record, t *finding.Target) (list []bisected, missing []string, err error) {
	supply := script.NewSupply()
	supply.LookNear(nearOf(out, rec)...)
	found, err := installedOf(ctx, supply, t)
	if err != nil {
		return nil, nil, err
	}
	var reals []string
	add := func(path, version string, info *build.Info) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil || slices.Contains(reals, real) {
			return
		}
		reals = append(reals, real)
		list = append(list, bisected{path: path, version: version, build: info})
	}
	for _, s := range found {
		add(cmp.Or(s.Library, s.Path), s.Version, s.Build())
	}
	for i := range f.Plan.Targets { // those of the campaign, which may have profiles of its own
		old := &f.Plan.Targets[i]
		if old.Kind != t.Kind || (old.Mode == string(solvers.Native)) != (t.Mode == string(solvers.Native)) {
			continue
		}
		path := old.Path
		if old.Mode == string(solvers.Native) {
			path = libraryOf(f, old)
		}
		if _, err := os.Stat(path); path == "" || err != nil {
			missing = append(missing, strings.TrimSpace(fmt.Sprintf("%s %s %s", old.Kind, old.Version, path)))
			continue
		}
		if info, _ := build.Of(old.Files); old.Build.Same(info) || old.Build == nil { // the build has not changed
			if !slices.ContainsFunc(list, func(b bisected) bool { return b.version == old.Version && b.build.Same(info) }) {
				add(path, old.Version, info)
			}
		}
	}
	for _, c := range rec.Checks {
		if c.Kind == t.Kind && !slices.ContainsFunc(list, func(b bisected) bool {
			return b.version == c.Version && (c.Build == nil || b.build == nil || c.Build.Same(b.build))
		}) {
			missing = append(missing, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Kind, c.Version, c.Build.Short())))
		}
	}
	slices.SortStableFunc(list, func(a, b bisected) int {
		return cmp.Or(solvers.CompareVersions(a.version, b.version), a.build.Compare(b.build))
	})
	slices.Sort(missing)
	return list, slices.Compact(missing), nil
}

// libraryOf is the path of the library of a target of mode native.
func libraryOf(f *finding.Finding, t *finding.Target) string {
	if t.Build != nil && len(t.Build.Files) > 0 {
		return t.Build.Files[0].Path
	}
	if len(t.Files) > 0 {
		return t.Files[0]
	}
	for _, r := range slices.Concat(f.MinRuns, f.Confirm, f.Runs) {
		if r.Target == t.Name && len(r.Argv) > 0 {
			return r.Argv[len(r.Argv)-1]
		}
	}
	return ""
}

// nearOf lists the folders beside which, or above which, the solvers of a finding may have been unpacked: its own, and
// those of the programs that its campaign had.
func nearOf(out string, rec *folder.Record) []string {
	near := []string{out, rec.Path}
	for _, t := range rec.Plan.Targets {
		if t.Path != "" && filepath.IsAbs(t.Path) {
			near = append(near, filepath.Dir(t.Path))
		}
		for _, path := range t.Files {
			near = append(near, filepath.Dir(path))
		}
	}
	return near
}

// installedOf returns the usable solvers of this machine of the kind of a target: programs, or libraries.
func installedOf(ctx context.Context, supply *catalogue.Catalogue, t *finding.Target) ([]*solvers.Solver, error) {
	profiles, err := supply.Profiles()
	if err != nil {
		return nil, err
	}
	var out []*solvers.Solver
	for _, p := range profiles {
		if p.Name != t.Kind {
			continue
		}
		found := supply.Solvers(p)
		if t.Mode == string(solvers.Native) {
			found = supply.Libraries(ctx, p)
		}
		for _, s := range slices.Concat(found, supply.Releases(ctx, p, t.Mode == string(solvers.Native))) {
			if s.Unusable == "" {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// one asks one build of a target's solver. A problem with the build goes into the table; the returned error concerns
// the finding. The finding may name programs only if its folder is trusted.
func (x *bisection) one(ctx context.Context, t *finding.Target, b *bisected) error {
	b.target = t.Name
	dir, err := os.MkdirTemp("", "smtlark-bisect-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if trust.Holds(x.out) {
		if err := trust.ForNow(dir); err != nil {
			return err
		}
	}
	if err := folder.WriteReplay(dir, x.f, folder.Exprs{t.Name: folder.ExprFor(x.f, t, b.version, b.path)}); err != nil {
		return err
	}
	cfg, err := (&runOptions{workers: 1}).config(filepath.Join(dir, "repro.star"), finding.Inputs{Dir: dir, Near: nearOf(x.out, x.rec)})
	if err != nil {
		return err
	}
	cfg.Print = func(coordinator.Line, string) {}
	replays, err := coordinator.Reproduce(ctx, cfg, x.times)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && len(replays) != 1 {
		err = errors.New("it gave no answer")
	}
	if b.err = err; err == nil {
		b.info = replays[0]
	}
	return nil
}

func printBisect(out io.Writer, kind string, list []bisected, inOrder bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "solver\tversion\tbuild\tshows it\tdid\tseconds")
	for i := range list {
		b := &list[i]
		switch {
		case b.err != nil:
			fmt.Fprintf(w, "%s\t%s\t%s\t?\t%s\t\n", kind, display.Line(b.shown()), b.build.Short(), display.Line(firstOf(b.err.Error())))
		case len(b.info.Runs) > 0:
			fmt.Fprintf(w, "%s\t%s\t%s\t%d of %d\t%s\t%.2f\n", kind, display.Line(b.shown()), b.build.Short(), b.info.Reproduced, b.info.Tries, display.Line(b.did().Outcome), b.did().Wall)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, boundary(list, inOrder))
	return err
}

// firstOf returns the most telling line of an error: the first, or for errors of campaign files, the one after the
// trace.
func firstOf(s string) string {
	if _, rest, ok := strings.Cut(s, "\nError: "); ok {
		s = rest
	}
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// boundary says between which builds the bug appeared and disappeared: among the given builds, in their order, or among
// the others, which are sorted by version.
func boundary(list []bisected, given bool) string {
	var known []*bisected
	var versions []string
	for i := range list {
		if b := &list[i]; b.given == given && b.tells() {
			known = append(known, b)
			versions = append(versions, display.Line(b.shown()))
		}
	}
	if len(known) == 0 {
		return ""
	}
	name := func(b *bisected) string {
		if b.given {
			return display.Line(b.path)
		}
		if slices.ContainsFunc(known, func(o *bisected) bool { return o != b && o.version == b.version }) && b.build != nil {
			return fmt.Sprintf("%s (build %s)", display.Line(b.version), b.build.Short())
		}
		return display.Line(b.version)
	}
	text, changes := "", 0
	for i := 1; i < len(known); i++ {
		was, is := known[i-1].info.Reproduced > 0, known[i].info.Reproduced > 0
		switch {
		case !was && is:
			changes++
			text += fmt.Sprintf("last good: %s, first bad: %s\n", name(known[i-1]), name(known[i]))
		case was && !is:
			changes++
			text += fmt.Sprintf("last bad: %s, fixed in: %s\n", name(known[i-1]), name(known[i]))
		}
	}
	asked := strings.Join(versions, ", ")
	switch {
	case changes > 0:
		return tooOld(list, known[0], given) + text
	case known[0].info.Reproduced > 0:
		return tooOld(list, known[0], given) + fmt.Sprintf("every version that was asked shows it: %s\n", asked)
	}
	return fmt.Sprintf("no version that was asked shows it: %s\n", asked)
}

// tooOld says that the first build which shows a finding is also the first one that accepts its case; "" if it is not.
func tooOld(list []bisected, first *bisected, given bool) string {
	i := slices.IndexFunc(list, func(b bisected) bool { return b.path == first.path })
	if given || i < 1 || first.info.Reproduced == 0 || list[i-1].tells() || list[i-1].err != nil {
		return ""
	}
	return fmt.Sprintf("first bad: %s; %s does not take the case\n", display.Line(first.shown()), display.Line(list[i-1].shown()))
}

// keepBisect stores the outcomes of the builds, if the varied target is the wrong one. It omits builds given by
// --program, which are not installed.
func keepBisect(e *command.Env, o *results.FindingsOptions, f *finding.Finding, t *finding.Target, list []bisected, wrong bool) int {
	var checks []finding.Check
	newest := false
	for i := range list {
		if b := &list[i]; b.err == nil && !b.given && b.info.Tries > 0 && len(b.info.Runs) > 0 {
			checks = append(checks, finding.Check{Kind: t.Kind, Version: b.version, Build: b.build, Hits: b.info.Reproduced, Tries: b.info.Tries, Outcome: b.did().Outcome})
			newest = b.info.Reproduced > 0
		}
	}
	if f.Flaky || len(checks) == 0 {
		return command.ExitOK
	}
	if !wrong {
		if newest {
			return command.ExitFindings
		}
		return command.ExitOK
	}
	code := o.Change(e, func(s *store.Store) error {
		text, err := s.Checked(f, checks)
		if text != "" {
			fmt.Fprintln(e.Stdout, display.Line(text))
		}
		return err
	})
	if code == command.ExitOK && newest {
		return command.ExitFindings
	}
	return code
}
