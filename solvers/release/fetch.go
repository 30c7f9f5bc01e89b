package release

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	_ "embed" // the reader of SMT-LIB
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/download"
	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// readerSource is the text of a program that reads SMT-LIB by the parser of a solver's Python module.
//
//go:embed smtlib.py
var readerSource []byte

// readerFile is its name beside the module.
const readerFile = "smtlib.py"

// Depot is a folder .solvers into which releases are fetched.
type Depot struct {
	Dir     string
	Machine Machine
	// Progress is called with the downloaded bytes and the size of a wheel; it may be nil.
	Progress func(r Release, done, size int64)
	// Note is called with other messages, one line each; it may be nil.
	Note func(text string)
}

// Choice is the choice for a wish.
type Choice struct {
	Releases []Release // the oldest first
	Fetch    int       // how many of them are not there yet
	Bytes    int64     // their size
	offers   []offer
}

// Plan asks the index which releases a wish means, unless they are there already.
func (s *Depot) Plan(ctx context.Context, w Wish) (*Choice, error) {
	if r := Release(w); w.Version != All && w.Version != Newest && isThere(s.folderOf(r)) {
		return &Choice{Releases: []Release{r}, offers: []offer{{Release: r}}}, nil
	}
	all, err := s.offers(ctx, w.Solver)
	if err != nil {
		return nil, err
	}
	p := &Choice{offers: all}
	switch w.Version {
	case All:
	case Newest:
		p.offers = all[len(all)-1:]
	default:
		i := slices.IndexFunc(all, func(o offer) bool { return o.Version == w.Version })
		if i < 0 {
			return nil, unknownVersion(w, all)
		}
		p.offers = all[i : i+1]
	}
	for _, o := range p.offers {
		p.Releases = append(p.Releases, o.Release)
		if !isThere(s.folderOf(o.Release)) {
			p.Fetch++
			p.Bytes += o.wheel.Size
		}
	}
	return p, nil
}

// offers returns the releases of a solver that this machine can use.
func (s *Depot) offers(ctx context.Context, solver string) ([]offer, error) {
	files, stale, err := s.readIndex(ctx, sources[solver].project)
	if err != nil {
		return nil, fmt.Errorf("which releases of %s there are cannot be asked: %w", solver, err)
	}
	if stale != nil && s.Note != nil {
		s.Note(fmt.Sprintf("the index cannot be reached, what it said before counts: %v", stale))
	}
	all := offers(solver, files, s.Machine)
	if len(all) == 0 {
		need := ""
		if sources[solver].program == "" {
			need = "; they are modules of Python, and " + s.Machine.python()
		}
		return nil, fmt.Errorf("%s has no release for %s on %s%s", solver, s.Machine.OS, s.Machine.Arch, need)
	}
	return all, nil
}

func (m Machine) python() string {
	if m.Python == "" {
		return "no python3 is on the PATH"
	}
	return fmt.Sprintf("%s is %s", m.Python, m.ABI)
}

func unknownVersion(w Wish, all []offer) error {
	var versions []string
	for _, o := range all {
		versions = append(versions, o.Version)
	}
	hint := spelling.Hint(w.Version, versions)
	return fmt.Errorf("%s has no release %s%s for this machine; there are %s", w.Solver, w.Version, hint,
		strings.Join(versions, ", "))
}

// Carry fetches the missing releases of a plan, one wheel after the other, and returns how many it fetched.
func (s *Depot) Carry(ctx context.Context, p *Choice) (fetched int, err error) {
	for _, o := range p.offers {
		folder := s.folderOf(o.Release)
		if !isThere(folder) {
			if err := s.fetch(ctx, o, folder); err != nil {
				return fetched, fmt.Errorf("%s: %w", o.Release, err)
			}
			fetched++
		}
		if err := s.publish(o.Release, folder); err != nil {
			return fetched, fmt.Errorf("%s: %w", o.Release, err)
		}
	}
	return fetched, nil
}

func (s *Depot) folderOf(r Release) string { return filepath.Join(s.Dir, Folder, r.String()) }

// fileOf is the file that starts the program of a release, or is its library, where there is one.
func (s *Depot) fileOf(r Release, library bool) string {
	before, behind := around(library)
	return filepath.Join(s.Dir, filepath.FromSlash(Part(library)), before+r.String()+behind)
}

// At returns the path of the start script or the library of a fetched release; "" if its wheel has none.
func (s *Depot) At(r Release, library bool) string {
	if path := s.fileOf(r, library); isThere(path) {
		return path
	}
	return ""
}

// fetch downloads and unpacks a wheel. The folder appears only when it is complete.
func (s *Depot) fetch(ctx context.Context, o offer, folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(folder), ".fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	file := filepath.Join(work, "wheel.zip")
	if err := s.download(ctx, o, file); err != nil {
		return err
	}
	tree := filepath.Join(work, "tree")
	if err := unpack(file, tree, o); err != nil {
		return fmt.Errorf("%s: %w", o.wheel.Name, err)
	}
	if o.runs && sources[o.Solver].program == "" {
		text := fmt.Sprintf("#!%s\n%s", s.Machine.Python, readerSource)
		if err := os.WriteFile(filepath.Join(tree, readerFile), []byte(text), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(tree, 0o755); err != nil {
		return err
	}
	if err := os.Rename(tree, folder); err != nil && !isThere(folder) { // another one may have fetched it by now
		return err
	}
	return nil
}

// download writes a wheel to a file and checks its hash.
func (s *Depot) download(ctx context.Context, o offer, file string) error {
	want := o.wheel.Hashes["sha256"]
	if want == "" {
		return fmt.Errorf("the index gives no SHA-256 of %s", o.wheel.Name)
	}
	res, err := download.Get(ctx, o.wheel.URL, "")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	// An index need not give the size of a file (PEP 691), and the size that it gives is no reliable bound, so
	// treeLimit is used.
	sum, size := sha256.New(), max(o.wheel.Size, res.ContentLength)
	if size <= 0 || size > treeLimit {
		size = treeLimit
	}
	count := &counter{s: s, r: o.Release, size: size}
	// An additional byte shows that this is not the expected file.
	n, err := io.Copy(io.MultiWriter(f, sum, count), io.LimitReader(res.Body, size+1))
	if err == nil && n > treeLimit {
		return fmt.Errorf("%s is larger than %d MB, which no release is; nothing was unpacked", o.wheel.URL, treeLimit>>20)
	}
	if err != nil {
		return fmt.Errorf("%s: after %d bytes: %w", o.wheel.URL, n, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		return fmt.Errorf("%s has another SHA-256 than the index says: %s (%d bytes), want %s (%d bytes); nothing was unpacked", o.wheel.Name, got, n, want, o.wheel.Size)
	}
	return f.Close()
}

// counter reports how much was written, a few times a second.
type counter struct {
	s          *Depot
	r          Release
	done, size int64
	told       time.Time
}

func (c *counter) Write(p []byte) (int, error) {
	c.done += int64(len(p))
	if c.s.Progress != nil && (c.done == c.size || time.Since(c.told) > 200*time.Millisecond) {
		c.told = time.Now()
		c.s.Progress(c.r, c.done, c.size)
	}
	return len(p), nil
}

// treeLimit is the maximum unpacked size of a wheel, in bytes: the largest has 150 MB.
const treeLimit = 2 << 30

// unpack writes the used parts of a wheel into a folder: its program and library, or its Python module.
func unpack(file, tree string, o offer) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer z.Close()
	from, left := sources[o.Solver], int64(treeLimit)
	if err := os.Mkdir(tree, 0o755); err != nil {
		return err
	}
	for _, f := range z.File {
		name, mode := f.Name, os.FileMode(0o644)
		switch {
		case strings.HasSuffix(name, "/"):
			continue
		case from.parts != nil:
			if !from.parts().MatchString(name) {
				continue
			}
		case strings.HasSuffix("/"+name, from.program):
			name, mode = path.Base(name), 0o755
		case from.library().MatchString("/"+name) && strings.HasSuffix(name, ".dylib") == (o.os == "darwin"): // one wheel has both
			name = path.Base(name)
		default:
			continue
		}
		if !filepath.IsLocal(name) || !f.Mode().IsRegular() {
			return fmt.Errorf("it has a file %q, which is none of its own folder", f.Name)
		}
		n, err := download.Extract(f, filepath.Join(tree, filepath.FromSlash(name)), mode, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// publish writes the start script of a release and links its library.
func (s *Depot) publish(r Release, folder string) error {
	if argv := s.startOf(r, folder); argv != "" {
		text := fmt.Sprintf("#!/bin/sh\nhere=$(dirname \"$(readlink -f \"$0\")\")\nexec %s \"$@\"\n", argv)
		start := s.fileOf(r, false)
		if old, err := os.ReadFile(start); err != nil || string(old) != text {
			if err := durable.ReplaceAt(start, []byte(text), 0o755); err != nil {
				return err
			}
		}
	}
	if library := libraryOf(r, folder); library != "" {
		rel, err := filepath.Rel(folder, library)
		if err != nil {
			return err
		}
		return link(filepath.Join("..", r.String(), rel), s.fileOf(r, true))
	}
	return nil
}

// startOf returns the program that a start script executes, "" where the release has nothing to start. Its form is the
// one that smtlark looks through, see execOf in solvers/discover.go.
func (s *Depot) startOf(r Release, folder string) string {
	from := sources[r.Solver]
	if from.program != "" {
		if name := path.Base(from.program); isThere(filepath.Join(folder, name)) {
			return fmt.Sprintf(`"$here/../%s/%s"`, r, name)
		}
		return ""
	}
	text, err := os.ReadFile(filepath.Join(folder, readerFile))
	if err != nil {
		return ""
	}
	// The interpreter that it was fetched for is named in its first line.
	line, _, _ := strings.Cut(string(text), "\n")
	return fmt.Sprintf(`"%s" "-I" "-B" "$here/../%s/%s"`, strings.TrimPrefix(line, "#!"), r, readerFile)
}

// libraryOf is the C library of a release, "" where it has none.
func libraryOf(r Release, folder string) (found string) {
	want := sources[r.Solver].library
	if want == nil {
		return ""
	}
	_ = filepath.WalkDir(folder, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && found == "" && want().MatchString(filepath.ToSlash(p)) {
			found = p
		}
		return nil
	})
	return found
}

// link makes a symbolic link, in the place of one that is there.
func link(to, at string) error {
	if old, err := os.Readlink(at); err == nil && old == to {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if err := os.Remove(at); err != nil && isThere(at) {
		return err
	}
	return os.Symlink(to, at)
}

// Install links a release that is there into bin and lib, where campaigns that name no solver find it. It reports which
// parts of the release can be used.
func (s *Depot) Install(r Release) (program, library bool, err error) {
	asProgram, asLibrary := s.installed(r)
	install := func(file, as string) error {
		if file == "" {
			return nil
		}
		rel, err := filepath.Rel(s.Dir, file)
		if err != nil {
			return err
		}
		return link(filepath.Join("..", rel), as)
	}
	start, shared := s.At(r, false), s.At(r, true)
	if err := install(start, asProgram); err != nil {
		return false, false, err
	}
	err = install(shared, asLibrary)
	return start != "", shared != "", err
}

// Remove removes a release, or all releases of a solver if the version is All, and the links that Install made. It
// returns the releases that existed.
func (s *Depot) Remove(w Wish) (removed []Release, err error) {
	there := AtHand(w.Solver, false, filepath.Join(s.Dir, filepath.FromSlash(Part(false))))
	there = append(there, AtHand(w.Solver, true, filepath.Join(s.Dir, filepath.FromSlash(Part(true))))...)
	for _, x := range there {
		r := x.Release
		if w.Version != All && w.Version != r.Version || slices.Contains(removed, r) {
			continue
		}
		program, library := s.installed(r)
		for _, link := range []string{program, library} {
			if to, err := os.Readlink(link); err == nil && strings.Contains(filepath.ToSlash(to), "/"+Folder+"/") {
				err = os.Remove(link)
				if err != nil {
					return removed, err
				}
			}
		}
		for _, path := range []string{s.fileOf(r, false), s.fileOf(r, true), s.folderOf(r)} {
			if err := os.RemoveAll(path); err != nil {
				return removed, err
			}
		}
		removed = append(removed, r)
	}
	return removed, nil
}

// installed are the links that Install makes.
func (s *Depot) installed(r Release) (program, library string) {
	program = filepath.Join(s.Dir, "bin", sources[r.Solver].start+"-"+r.Version)
	return program, filepath.Join(s.Dir, "lib", "lib"+strings.TrimSuffix(r.Solver, "2")+"-"+r.Version+".so")
}

// findPython returns a Python 3 of this machine and the tag of its binary interface.
func findPython(ctx context.Context) (program, abi string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	found, err := exec.LookPath("python3")
	if err != nil {
		return "", ""
	}
	out, err := exec.CommandContext(ctx, found, "-I", "-c",
		"import os, sys; print(os.path.realpath(sys.executable)); print('cp%d%d' % sys.version_info[:2])").Output()
	lines := strings.Fields(string(out))
	if err != nil || len(lines) != 2 || strings.ContainsAny(lines[0], "\"$`\\'") {
		return "", ""
	}
	return lines[0], lines[1]
}

// Versions returns the releases of a solver that the index offers, the oldest first.
func (s *Depot) Versions(ctx context.Context, solver string) ([]Release, error) {
	p, err := s.Plan(ctx, Wish{solver, All})
	if err != nil {
		return nil, err
	}
	return p.Releases, nil
}
