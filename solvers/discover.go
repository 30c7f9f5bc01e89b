package solvers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/rule"
	"github.com/smtlark/smtlark/solvers/trust"
)

// EnvSolvers names the environment variable with more places to look for solvers: folders or programs, separated as
// in PATH.
const EnvSolvers = "SMTLARK_SOLVERS"

// versionTimeout bounds one start of a program for its version.
const versionTimeout = 10 * time.Second

// Discover finds the solvers of this machine. It looks, in this order, into dirs, $SMTLARK_SOLVERS, the folders of
// PATH, and the folders bin of Unpacked, which takes the folders near as well; a program reached by several paths
// counts once, and so does each build of which several unpacked folders have copies. Each program found is asked for
// its version; one that cannot be started, or whose version is not understood, is listed with the reason in Unusable. A
// program that a profile or a place names by its path need not print a version: the hash of its build stands for it.
// Solvers are ordered by profile, then by place; names are unique.
func Discover(profiles []*Profile, dirs []string, near ...string) []*Solver {
	unpacked := Unpacked("bin", near...)
	places := listPlaces(searchPlaces(dirs, unpacked))
	var found []*Solver
	for _, p := range profiles {
		if err := p.Validate(); err != nil {
			found = append(found, &Solver{Profile: p, Name: p.Name, Unusable: err.Error()})
			continue
		}
		seen := map[string]bool{}
		for _, path := range candidatePrograms(p, places) {
			real, err := filepath.EvalSymlinks(path)
			if err != nil || seen[real] {
				continue
			}
			seen[real] = true
			found = append(found, programAt(p, path))
		}
	}
	EachUsable(found, func(s *Solver) {
		identify(s, namedByPath(s.Profile, s.Path) || slices.ContainsFunc(places, func(p place) bool { return p.program == s.Path }))
	})
	found = WithoutCopies(found, unpacked)
	nameAll(found)
	return found
}

func programAt(p *Profile, path string) *Solver {
	return &Solver{Profile: p, Path: path, Exec: execOf(path)}
}

// namedByPath reports whether a profile names the program by its path, rather than by a pattern of file names.
func namedByPath(p *Profile, path string) bool {
	return slices.ContainsFunc(p.Binaries, func(name string) bool {
		abs, err := filepath.Abs(name)
		return err == nil && strings.ContainsRune(name, '/') && abs == path
	})
}

// Describe asks the program at a path for its version, as Discover does for a program that the profile names by path,
// and names the solver.
func Describe(p *Profile, path, name string) *Solver {
	s := programAt(p, path)
	s.Name = name
	if err := p.Validate(); err != nil {
		s.Unusable = err.Error()
		return s
	}
	identify(s, true)
	return s
}

// CallsItself reports whether the program at a path identifies itself as the profile's solver: its version output
// matches the profile and contains the solver's name.
func CallsItself(p *Profile, path string) bool {
	if p.Validate() != nil {
		return false
	}
	said, err := printedFor(programAt(p, path), p.VersionArgs)
	if err != nil || !p.version.MatchString(said) {
		return false
	}
	const shortest = 4 // yices2 calls itself Yices, and Z is no name
	said = strings.ToLower(said)
	brand := strings.TrimRight(p.Name, "0123456789")
	return strings.Contains(said, p.Name) || len(brand) >= shortest && strings.Contains(said, brand)
}

// WithoutCopies removes each solver in one of the folders whose files equal those of a solver in an earlier folder.
// Such copies occur when two clones each have a .solvers.
func WithoutCopies(found []*Solver, folders []string) []*Solver {
	if len(folders) < 2 {
		return found
	}
	place := func(s *Solver) int {
		path := s.Path
		if s.Library != "" {
			path = s.Library
		}
		return slices.Index(folders, filepath.Dir(path))
	}
	return slices.DeleteFunc(found, func(s *Solver) bool {
		at := place(s)
		return at > 0 && s.Unusable == "" && slices.ContainsFunc(found, func(o *Solver) bool {
			before := place(o)
			return o.Profile == s.Profile && o.Version == s.Version && before >= 0 && before < at && o.Build().Same(s.Build())
		})
	})
}

// nameAll gives each solver the name PROFILE-VERSION, with #2, #3, ... where that is taken.
func nameAll(found []*Solver) {
	taken := map[string]int{}
	for _, s := range found {
		name := s.Profile.Name
		if s.Version != "" {
			name += "-" + s.Version
		}
		taken[name]++
		if n := taken[name]; n > 1 {
			name = fmt.Sprintf("%s#%d", name, n)
		}
		s.Name = name
	}
}

func searchPlaces(dirs, unpacked []string) []string {
	places := slices.Clone(dirs)
	places = append(places, filepath.SplitList(os.Getenv(EnvSolvers))...)
	places = append(places, filepath.SplitList(os.Getenv("PATH"))...)
	places = append(places, unpacked...)
	for i, d := range places {
		if abs, err := filepath.Abs(d); err == nil {
			places[i] = abs
		}
	}
	return places
}

// Unpacked returns the folders with the given name in .solvers, where "make solvers" unpacks. It searches upwards from
// the working folder for the first that exists, then from the folders near (such as those of a campaign and of a
// finding), then from the folder of the running program. Each is listed once. Folders outside trusted folders are left
// out, since their programs may have come with somebody else's finding. The tree of the running program is always
// trusted.
func Unpacked(name string, near ...string) []string {
	found, _ := findUnpacked(name, near)
	return found
}

// Distrusted returns the folders whose .solvers Unpacked would have taken if they were trusted.
func Distrusted(near ...string) []string {
	_, left := findUnpacked("bin", near)
	_, libraries := findUnpacked("lib", near)
	for _, dir := range libraries {
		if !slices.Contains(left, dir) {
			left = append(left, dir)
		}
	}
	return left
}

func findUnpacked(name string, near []string) (found, distrusted []string) {
	var begin []string
	if dir, err := os.Getwd(); err == nil {
		begin = append(begin, dir)
	}
	begin = append(begin, near...)
	own := ""
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			begin = append(begin, filepath.Dir(real))
			own = unpackedAbove(filepath.Dir(real), name)
		}
	}
	var reals []string
	for _, dir := range begin {
		path := unpackedAbove(dir, name)
		if path == "" {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || slices.Contains(reals, real) {
			continue
		}
		reals = append(reals, real)
		unpacked := strings.TrimSuffix(path, string(filepath.Separator)+filepath.FromSlash(name))
		if top := filepath.Dir(unpacked); path == own || trust.Holds(top) || trust.Holds(unpacked) {
			found = append(found, path)
		} else {
			distrusted = append(distrusted, top)
		}
	}
	return found, distrusted
}

// unpackedAbove returns the folder of that name in the .solvers of a folder or of the next one above that has it, "" if
// none has.
func unpackedAbove(dir, name string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		path := filepath.Join(dir, ".solvers", name)
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			return path
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// EachUsable calls f for each usable solver, four at a time, and returns when all calls have.
func EachUsable(found []*Solver, f func(*Solver)) {
	var wait sync.WaitGroup
	gate := make(chan struct{}, 4)
	for _, s := range found {
		if s.Unusable != "" {
			continue
		}
		wait.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			f(s)
		})
	}
	wait.Wait()
}

// place is a folder where solvers are looked for, with the names of its files in their order.
type place struct {
	folder  string
	files   []string
	program string // the path, where the place is a program itself
}

// listPlaces reads each folder once for all profiles, since /usr/bin has thousands of files. A path of a program
// becomes a place with that program alone.
func listPlaces(paths []string) (places []place) {
	for _, path := range paths {
		if st, err := os.Stat(path); err == nil && !st.IsDir() {
			places = append(places, place{filepath.Dir(path), []string{filepath.Base(path)}, path})
			continue
		}
		folder, err := os.Open(path)
		if err != nil {
			continue
		}
		files, _ := folder.Readdirnames(-1) // an unreadable rest is ignored
		_ = folder.Close()
		slices.Sort(files)
		places = append(places, place{folder: path, files: files})
	}
	return places
}

// candidatePrograms lists the programs in the places that match the profile's file names, without repetition. Names
// with a slash are paths of their own.
func candidatePrograms(p *Profile, places []place) []string {
	var paths []string
	add := func(path string) {
		st, err := os.Stat(path)
		if err == nil && system.Executable(st) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	var names []string
	for _, b := range p.Binaries {
		if strings.ContainsRune(b, '/') {
			if abs, err := filepath.Abs(b); err == nil {
				add(abs)
			}
			continue
		}
		names = append(names, b+system.ProgramSuffix)
	}
	for _, place := range places {
		for _, n := range names {
			for _, file := range place.files {
				if ok, _ := filepath.Match(n, file); ok {
					add(filepath.Join(place.folder, file))
				}
			}
		}
	}
	return paths
}

// herePlace is the line with which a start script of tools/fetch-solvers.sh finds its own folder, so that it can move.
const herePlace = `here=$(dirname "$(readlink -f "$0")")`

// execOf returns the start of the argument vector for a program: the program itself or, for a shell script that does
// nothing but execute another program with all its arguments, what that script executes. It saves the shell (about
// a millisecond a start).
func execOf(path string) []string {
	direct := []string{path}
	st, err := os.Stat(path)
	// A file this large is a program, or a script that does more than start one: it is not read as text.
	if err != nil || st.Size() > 8<<10 {
		return direct
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "#!/bin/sh\n") {
		return direct
	}
	var argv []string
	here := ""
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line == herePlace && here == "" {
			real, err := filepath.EvalSymlinks(path)
			if err != nil || strings.ContainsAny(real, "\"$`\\") {
				return direct
			}
			here = filepath.Dir(real)
			continue
		}
		if here != "" {
			line = strings.ReplaceAll(line, "$here/..", filepath.Dir(here))
		}
		rest, isExec := strings.CutPrefix(line, "exec ")
		rest, passesArgs := strings.CutSuffix(rest, ` "$@"`)
		// If the line contains shell syntax, the script itself is started.
		if argv != nil || !isExec || !passesArgs || strings.ContainsAny(rest, "$`\\'*?[~;&|<>(){}") {
			return direct
		}
		if argv = shellWords(rest); len(argv) == 0 || !filepath.IsAbs(argv[0]) {
			return direct
		}
	}
	if argv == nil {
		return direct
	}
	return argv
}

// shellWords splits at blanks outside double quotes; nil for unbalanced quotes.
func shellWords(s string) []string {
	var words []string
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		if s[0] == '"' {
			word, rest, ok := strings.Cut(s[1:], `"`)
			if !ok || (rest != "" && rest[0] != ' ') {
				return nil
			}
			words, s = append(words, word), rest
			continue
		}
		word, rest, _ := strings.Cut(s, " ")
		if strings.ContainsRune(word, '"') {
			return nil
		}
		words, s = append(words, word), rest
	}
	return words
}

// identify fills Version and Args of a solver, or Unusable. It tries all TryArgs at once first, then one by one. If a
// named program starts but prints no known version, the hash of its build is its version.
func identify(s *Solver, named bool) {
	p := s.Profile
	out, err := printedFor(s, append(slices.Clone(p.TryArgs), p.VersionArgs...))
	if err == nil && p.version.MatchString(out) {
		s.Args = p.TryArgs
	} else {
		for _, a := range p.TryArgs {
			if o, e := printedFor(s, append([]string{a}, p.VersionArgs...)); e == nil && p.version.MatchString(o) {
				s.Args = append(s.Args, a)
			}
		}
		out, err = printedFor(s, p.VersionArgs)
	}
	if m := p.version.FindStringSubmatch(out); m != nil && m[1] != "" {
		s.Version = m[1]
		return
	}
	var exited *exec.ExitError
	if named && (err == nil || errors.As(err, &exited) && exited.Exited()) {
		if build := s.Build(); build != nil {
			s.Version = rule.UnknownVersion + build.Short()
			return
		}
	}
	said := Normalize(firstLine(out))
	asked := filepath.Base(s.Path) + " " + strings.Join(p.VersionArgs, " ")
	switch {
	case err != nil && said != "":
		s.Unusable = fmt.Sprintf("%s: %v: %s", asked, err, said)
	case err != nil:
		s.Unusable = fmt.Sprintf("%s: %v", asked, err)
	default:
		s.Unusable = fmt.Sprintf("%s prints no version that matches %q: %q; name it by its path, or set version in its profile",
			asked, p.Version, said)
	}
}

// printedFor runs the program of a solver with arguments and returns what it printed, at most 64 KB.
func printedFor(s *Solver, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), versionTimeout)
	defer cancel()
	argv := append(slices.Clone(s.Exec), args...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out boundedText
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = confine.SolverEnviron(s.Environ()...)
	cmd.WaitDelay = time.Second
	err := confine.Run(cmd)
	if ctx.Err() != nil {
		err = fmt.Errorf("no reply within %v", versionTimeout)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return string(out), err
}

type boundedText []byte

func (b *boundedText) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), 64<<10-len(*b))]...)
	return len(p), nil
}
