package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/build"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/release"
	"github.com/smtlark/smtlark/solvers/trust"
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/tools"
)

func init() {
	command.Register("solvers", newSolvers)
}

const solversAbout = `Says how solvers are confined on this machine (see docs/trust.md), and lists every solver found in the folders and programs of $SMTLARK_SOLVERS, in the folders of $PATH and in the nearest
.solvers/bin (see --fetch): name, version, modes, path and theories. Each is started and gets two tiny queries in
each mode; one that fails is listed with the reason. Below each solver are its theories and what identifies its build:
the GNU build id of its program or library and the SHA-256 of its files. Then come the C libraries of solvers, for targets of mode native: those
of .solvers/lib, of LD_LIBRARY_PATH and of the system.

"smtlark solvers NAME" says what the solvers of that name, such as z3 or libcvc5-1.3.2, support: operators, sorts, logics,
commands and options. Each build is asked once, with a few hundred small queries, and the answer is kept in the user's cache folder;
API fuzzing and probes use it. It is compared with the profile, to show where that is wrong. --learn asks again.

"smtlark solvers --fetch FOLDER" unpacks solvers into FOLDER (Linux with apt, no root) and trusts it (see docs/trust.md): z3, cvc5, bitwuzla, boolector,
cvc4 and yices2, several versions and the C libraries; with JAVA=1 in the environment also SMTInterpol and Princess. Those of a folder .solvers at or above the working folder are found
automatically, those of another one when $SMTLARK_SOLVERS names FOLDER/bin.

"smtlark solvers --fetch z3@4.12.2 cvc5@newest z3@all FOLDER" fetches releases from PyPI (Linux and macOS), by default into .solvers: z3, cvc5, bitwuzla and
yices2. Each file has the hash that the index gives, nothing is fetched twice, and what is there needs no network. A release that is fetched by its version, or as
the newest, is used like any other solver. Those of "all" are used where one is named, as in --solver z3-4.8.5, and by "smtlark bisect".
cvc5 and bitwuzla have no program there: a small script, which needs python3, reads SMT-LIB by their own parsers, and is such a program.
PIP_INDEX_URL names another index. "smtlark solvers --remove z3@4.12.2 z3@all FOLDER" takes releases away.

Exit codes: 0, 69 when no solver can be used.`

// listed is one solver as --json prints it.
type listed struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`
	Version  string            `json:"version"`
	Path     string            `json:"path"`
	Modes    []solvers.Mode    `json:"modes"`
	Theories []string          `json:"theories"`
	Args     []string          `json:"args"`
	Broken   map[string]string `json:"broken,omitempty"`
	Unusable string            `json:"unusable,omitempty"`
	// Unchecked: its profile was written from a manual.
	Unchecked bool        `json:"unchecked,omitempty"`
	Build     *build.Info `json:"build,omitempty"`
}

func newSolvers(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "solvers [NAME] [flags]",
		Short:   "list the solvers of this machine and what they can do",
		Long:    solversAbout,
		GroupID: command.GroupCampaigns,
	}
	flags := c.Flags()
	asJSON := flags.Bool("json", false, "print a JSON array")
	dirs := flags.StringArray("dir", nil, "look into this folder first (can be repeated)")
	fetch := flags.String("fetch", "", "unpack solvers into this `folder`, such as .solvers, or fetch releases, such as z3@4.12.2, and list nothing")
	remove := flags.String("remove", "", "remove fetched releases, such as z3@4.12.2 or z3@all, and list nothing: `NAME@VERSION`, and behind it the folder they lie in")
	anew := flags.Bool("learn", false, "ask the solvers NAME again what they support")
	command.SafetyFlags(flags)
	command.Does(c, func(ctx context.Context) int {
		if *fetch != "" {
			return fetchInto(ctx, e, append([]string{*fetch}, flags.Args()...))
		}
		if *remove != "" {
			return removeReleases(e, append([]string{*remove}, flags.Args()...))
		}
		if flags.NArg() > 1 {
			return e.UsageError("solvers", "takes at most one argument, got %q", flags.Arg(1))
		}
		if *anew && flags.NArg() == 0 {
			return e.UsageError("solvers", "--learn needs the name of a solver, such as z3 or libcvc5-1.3.2")
		}
		supply := script.NewSupply(*dirs...)
		found, err := supply.Installed()
		if err != nil {
			return e.Fail(command.ExitInternal, "solvers", err)
		}
		process.Preflight(ctx, found)
		libraries, err := command.InstalledLibraries(ctx, supply)
		if err != nil {
			return e.Fail(command.ExitInternal, "solvers", err)
		}
		found = append(found, libraries...)
		if flags.NArg() == 1 {
			return showLearned(ctx, e, found, flags.Arg(0), *anew)
		}
		list := make([]listed, 0, len(found))
		usable := 0
		for _, s := range found {
			l := listed{Name: s.Name, Kind: s.Profile.Name, Version: s.Version, Path: s.Path, Modes: s.Modes(), Theories: s.Profile.Theories,
				Args: append(append([]string{}, s.Profile.Args...), s.Args...), Unusable: s.Unusable, Unchecked: s.Profile.Unchecked}
			if s.Library != "" {
				l.Path, l.Args = s.Library, []string{}
			}
			// An empty list in JSON, and not null.
			if l.Modes == nil {
				l.Modes = []solvers.Mode{}
			}
			if s.Profile != nil {
				l.Build = s.Build()
			}
			for m, why := range s.Broken {
				if l.Broken == nil {
					l.Broken = map[string]string{}
				}
				l.Broken[string(m)] = why
			}
			if s.Unusable == "" {
				usable++
			}
			list = append(list, l)
		}
		if *asJSON {
			enc := json.NewEncoder(display.JSONWriter(e.Stdout))
			enc.SetIndent("", "  ")
			err = enc.Encode(list)
		} else {
			err = printSolvers(e.Stdout, confine.Describe(), list)
		}
		if err != nil {
			return e.Fail(command.ExitDisk, "solvers", err)
		}
		if !*asJSON {
			if err := printReleases(e.Stdout, supply); err != nil {
				return e.Fail(command.ExitDisk, "solvers", err)
			}
		}
		for _, dir := range solvers.Distrusted() {
			fmt.Fprintf(e.Stderr, "smtlark solvers: %s/.solvers is left out, since that folder is not trusted: smtlark trust %s\n", display.Line(dir), folder.ShellWord(dir))
		}
		if usable == 0 {
			fmt.Fprintln(e.Stderr, "smtlark solvers: no usable solver. Install one (apt install z3 cvc5), unpack some (smtlark solvers --fetch .solvers), or name a folder in $"+solvers.EnvSolvers+".")
			return command.ExitSolver
		}
		return command.ExitOK
	})
	return c
}

// printSolvers writes a table, with further remarks below each solver.
func printSolvers(w io.Writer, confined string, list []listed) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", confined)
	name, version := len("NAME"), len("VERSION")
	for _, l := range list {
		name, version = max(name, len(l.Name)), max(version, len(l.Version))
	}
	row := func(n, v, modes, path string) {
		fmt.Fprintf(&b, "%-*s  %-*s  %-23s  %s\n", name, n, version, v, modes, path)
	}
	if len(list) > 0 {
		row("NAME", "VERSION", "MODES", "PATH")
	}
	for _, l := range list {
		var modes []string
		for _, m := range l.Modes {
			modes = append(modes, string(m))
		}
		if l.Unusable != "" {
			modes = []string{"unusable"}
		}
		row(l.Name, l.Version, strings.Join(modes, " "), l.Path)
		if l.Unusable != "" {
			fmt.Fprintf(&b, "%-*s  why: %s\n", name, "", l.Unusable)
			continue
		}
		fmt.Fprintf(&b, "%-*s  theories: %s\n", name, "", strings.Join(l.Theories, " "))
		if l.Build != nil {
			fmt.Fprintf(&b, "%-*s  %s\n", name, "", l.Build)
		}
		if l.Unchecked {
			fmt.Fprintf(&b, "%-*s  unchecked: its profile was written from a manual; \"smtlark solvers %s\" holds it against this build\n",
				name, "", l.Name)
		}
		for _, m := range solvers.Modes() {
			if why := l.Broken[string(m)]; why != "" {
				fmt.Fprintf(&b, "%-*s  no mode %s: %s\n", name, "", m, why)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printReleases lists the releases that were fetched, a line for each kind of solver.
func printReleases(w io.Writer, supply *catalogue.Catalogue) error {
	profiles, err := supply.Profiles()
	if err != nil {
		return err
	}
	begin := "\nreleases, for those who name one:\n"
	for _, p := range profiles {
		at := supply.ReleasesAtHand(p, false)
		for _, r := range supply.ReleasesAtHand(p, true) {
			if !slices.ContainsFunc(at, func(o release.Found) bool { return o.Release == r.Release }) {
				at = append(at, r)
			}
		}
		if len(at) == 0 {
			continue
		}
		slices.SortFunc(at, func(a, b release.Found) int { return a.Compare(b.Release) })
		versions := make([]string, len(at))
		for i, r := range at {
			versions[i] = display.Line(r.Version)
		}
		if _, err := fmt.Fprintf(w, "%s%s: %s\n", begin, p.Name, strings.Join(versions, " ")); err != nil {
			return err
		}
		begin = ""
	}
	return nil
}

// parseReleases reads releases, NAME@VERSION, and the folder they lie in, "" if none is named. The name of a solver
// alone is not taken as a folder.
func parseReleases(words []string) (wishes []release.Wish, folder string, err error) {
	for _, word := range words {
		if release.IsWish(word) {
			w, err := release.ParseWish(word)
			if err != nil {
				return nil, "", err
			}
			wishes = append(wishes, w)
			continue
		}
		switch {
		case slices.Contains(release.Known(), word):
			return nil, "", fmt.Errorf("%s is a solver: want %s@%s or %s@VERSION; a folder of that name is ./%s", word, word, release.Newest, word, word)
		case folder != "":
			return nil, "", fmt.Errorf("takes one folder, got %s and %s; a release is NAME@VERSION", folder, word)
		}
		folder = word
	}
	return wishes, folder, nil
}

// removeReleases removes releases that were fetched.
func removeReleases(e *command.Env, words []string) int {
	wishes, folder, err := parseReleases(words)
	if err == nil && len(wishes) == 0 {
		err = fmt.Errorf("wants releases, such as z3@4.12.2 or z3@%s", release.All)
	}
	if err != nil {
		return e.UsageError("solvers", "--remove: %v", err)
	}
	store := &release.Depot{Dir: cmp.Or(folder, ".solvers")}
	for _, w := range wishes {
		removed, err := store.Remove(w)
		for _, r := range removed {
			fmt.Fprintf(e.Stdout, "removed: %s\n", display.Line(r.String()))
		}
		if err != nil {
			return e.Fail(command.ExitDisk, "solvers", err)
		}
		if len(removed) == 0 {
			return e.UsageError("solvers", "--remove %s@%s: there is no such release in %s", w.Solver, w.Version, store.Dir)
		}
	}
	return command.ExitOK
}

// fetchInto fetches releases, where the words name some, or else the solvers of a distribution, into the folder that
// they name.
func fetchInto(ctx context.Context, e *command.Env, words []string) int {
	wishes, folder, err := parseReleases(words)
	if err != nil {
		return e.UsageError("solvers", "--fetch: %v", err)
	}
	code := command.ExitOK
	if len(wishes) == 0 {
		code = fetchSolvers(ctx, e, folder)
	} else {
		folder = cmp.Or(folder, ".solvers")
		code = fetchReleases(ctx, e, folder, wishes)
	}
	if code != command.ExitOK {
		return code
	}
	if !trust.Holds(folder) { // who unpacks programs to use them wants them used
		real, err := trust.Add(folder)
		if err == nil {
			fmt.Fprintf(e.Stdout, "trusted: %s\n", display.Line(real))
		} else {
			fmt.Fprintf(e.Stderr, "smtlark solvers: %s is unpacked and not trusted, since the list of trusted folders cannot be written: %v\n", display.Line(folder), err)
		}
	}
	if filepath.Base(filepath.Clean(folder)) != ".solvers" {
		fmt.Fprintf(e.Stdout, "they are found by: export %s=%s\n", solvers.EnvSolvers, filepath.Join(folder, "bin"))
	}
	return command.ExitOK
}

// fetchReleases fetches releases from PyPI into a folder.
func fetchReleases(ctx context.Context, e *command.Env, folder string, wishes []release.Wish) int {
	store := command.ReleaseStore(ctx, e, folder)
	for _, w := range wishes {
		plan, err := store.Plan(ctx, w)
		if err != nil {
			return e.Fail(command.ExitSolver, "solvers", err)
		}
		if w.Version == release.All {
			fmt.Fprintf(e.Stdout, "%s: %d releases, of which %d are to be fetched (%s)\n", w.Solver, len(plan.Releases), plan.Fetch, humanize.Bytes(uint64(plan.Bytes)))
		}
		fetched, err := store.Carry(ctx, plan)
		if err != nil {
			return e.Fail(command.ExitSolver, "solvers", fmt.Errorf("%w; %d releases were fetched before, and are kept", err, fetched))
		}
		if w.Version == release.All {
			continue
		}
		for _, r := range plan.Releases {
			program, library, err := store.Install(r)
			if err != nil {
				return e.Fail(command.ExitDisk, "solvers", err)
			}
			fmt.Fprintf(e.Stdout, "%s: %s%s\n", r, usable(program, library), map[bool]string{true: "", false: "; it was there"}[fetched > 0])
		}
	}
	return command.ExitOK
}

// usable says which parts of a release can be used.
func usable(program, library bool) string {
	switch {
	case program && library:
		return "program and library"
	case program:
		return "program"
	case library:
		return "library only: its wheel has no program for this machine (one that is a module of Python needs python3)"
	}
	return "nothing that can be used here"
}

// fetchSolvers unpacks solvers into a folder, by the script of "make solvers".
func fetchSolvers(ctx context.Context, e *command.Env, folder string) int {
	if runtime.GOOS != "linux" {
		return e.UsageError("solvers", "--fetch unpacks packages of Debian and needs Linux; install solvers with the package manager of this system, or name their folder in $%s", solvers.EnvSolvers)
	}
	dir, err := os.MkdirTemp("", "smtlark-fetch-")
	if err != nil {
		return e.Fail(command.ExitDisk, "solvers", err)
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "fetch-solvers.sh")
	if err := os.WriteFile(script, []byte(tools.FetchSolvers), 0o600); err != nil {
		return e.Fail(command.ExitDisk, "solvers", err)
	}
	cmd := exec.CommandContext(ctx, "sh", script, folder)
	cmd.Stdout, cmd.Stderr = e.Stdout, e.Stderr
	if err := cmd.Run(); err != nil {
		return e.Fail(command.ExitSolver, "solvers", fmt.Errorf("--fetch %s: %w", folder, err))
	}
	return command.ExitOK
}
