// Package build distinguishes builds of a solver. The version is not enough, because it is a text that developers
// write: two nightly builds may have the same version, as may a release and the package that a distribution makes from
// it. So a build is identified by the content of its program and of the solver's own libraries that the program loads.
package build

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// Info identifies one build of a solver.
type Info struct {
	// SHA256 is the hash of the build's file. If there are several files, it is the hash of the lines "SHA256  NAME"
	// that sha256sum prints for them, in the order of Files.
	SHA256 string `json:"sha256"`
	// ID is the GNU build id of the largest file, which contains the solver even if the program is only a thin layer
	// over a library. It is "" if the file has none: not every linker writes one.
	ID    string       `json:"build_id,omitempty"`
	Files []hashedFile `json:"files"`
	// Modified is the time at which the newest of the files was last written: among builds with the same version, the
	// order in which they were made.
	Modified time.Time `json:"modified"`
}

// hashedFile is one file of a build.
type hashedFile struct {
	Path    string `json:"path"` // after links were followed
	SHA256  string `json:"sha256"`
	BuildID string `json:"build_id,omitempty"` // of its ELF note NT_GNU_BUILD_ID, hexadecimal
}

// shortHash is the number of hexadecimal digits that tell builds apart for people.
const shortHash = 12

// Short returns the beginning of the build's hash, for tables; "" for nil.
func (i *Info) Short() string {
	if i == nil || len(i.SHA256) < shortHash {
		return ""
	}
	return i.SHA256[:shortHash]
}

// String describes the build for reports; "" for nil.
func (i *Info) String() string {
	if i == nil {
		return ""
	}
	if i.ID == "" {
		return "sha256 " + i.SHA256
	}
	return "build id " + i.ID + ", sha256 " + i.SHA256
}

// Compare orders builds of one version by the time at which their files were written; an unknown build comes first.
func (i *Info) Compare(o *Info) int {
	made := func(i *Info) time.Time {
		if i == nil {
			return time.Time{}
		}
		return i.Modified
	}
	return made(i).Compare(made(o))
}

// Same reports whether two builds are the same. An unknown build is not the same as any build.
func (i *Info) Same(o *Info) bool { return i != nil && o != nil && i.SHA256 == o.SHA256 }

// Of identifies a build by its files. It returns an error if a file cannot be read.
func Of(paths []string) (*Info, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("a build without files")
	}
	info := &Info{}
	lines, largest := "", int64(-1)
	for _, path := range paths {
		f, state, err := identify(path)
		if err != nil {
			return nil, err
		}
		info.Files = append(info.Files, f)
		if state.modified.After(info.Modified) {
			info.Modified = state.modified
		}
		if state.size > largest {
			info.ID, largest = f.BuildID, state.size
		}
		lines += f.SHA256 + "  " + filepath.Base(f.Path) + "\n"
	}
	info.SHA256 = info.Files[0].SHA256
	if len(paths) > 1 {
		info.SHA256 = HashOf([]byte(lines))
	}
	return info, nil
}

// HashOf returns the SHA-256 of data, by which files are known here and on other machines.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// rememberedFrom is the least size in bytes of files whose identity is cached for other processes: hashing a mebibyte
// takes less than a millisecond, but hashing a debug build of a solver takes seconds.
const rememberedFrom = 1 << 20

// fileState is the part of a file's state that identifies a build.
type fileState struct {
	size     int64
	modified time.Time
}

// identify reads one file.
func identify(path string) (f hashedFile, state fileState, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return f, state, err
	}
	st, err := os.Stat(real)
	if err != nil {
		return f, state, err
	}
	state = fileState{st.Size(), st.ModTime().UTC()}
	if state.size < rememberedFrom {
		f, err = hashFile(real)
		return f, state, err
	}
	text, err := memo.User().OfFile("identity", real, func() (string, error) {
		f, err := hashFile(real)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(f)
		return string(text), err
	})
	if err != nil {
		return f, state, err
	}
	// Somebody else wrote it.
	if json.Unmarshal([]byte(text), &f) != nil || len(f.SHA256) != hex.EncodedLen(sha256.Size) || f.Path != real {
		f, err = hashFile(real)
	}
	return f, state, err
}

// hashFile reads a whole file.
func hashFile(path string) (hashedFile, error) {
	in, err := os.Open(path)
	if err != nil {
		return hashedFile{}, err
	}
	defer in.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, in); err != nil {
		return hashedFile{}, err
	}
	return hashedFile{Path: path, SHA256: hex.EncodeToString(hash.Sum(nil)), BuildID: idOf(in)}, nil
}

func idOf(in io.ReaderAt) string {
	f, err := elf.NewFile(in)
	if err != nil {
		return ""
	}
	return GNUBuildID(f)
}

// GNUBuildID reads the note NT_GNU_BUILD_ID of an ELF file (System V ABI, Note Section); "" if there is none.
func GNUBuildID(f *elf.File) string {
	section := f.Section(".note.gnu.build-id")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	const header = 12 // three words: sizes of the name and of the description, type
	if err != nil || len(note) < header {
		return ""
	}
	name, size := int(f.ByteOrder.Uint32(note)), int(f.ByteOrder.Uint32(note[4:]))
	at := header + (name+3)&^3
	if name < 0 || size < 0 || at > len(note) || size > len(note)-at {
		return ""
	}
	return hex.EncodeToString(note[at : at+size])
}

// Files lists the files of a program that identify its build: the program that an argument vector starts, and the
// libraries that it needs and whose names begin with one of the given words, such as libcvc5, with what those need of
// the same kind. A library that cannot be found is left out. For a Java virtual machine, its jars are the program,
// rather than the machine itself; for Python, the program is the script with the modules beside it.
func Files(argv []string, own ...string) []string {
	program, folders := programOf(argv)
	if program == "" {
		return nil
	}
	isOwn := func(name string) bool {
		return slices.ContainsFunc(own, func(word string) bool { return strings.HasPrefix(name, word) })
	}
	if modules := modulesOf(argv); modules != nil {
		return modules
	}
	return withNeeded(append([]string{program}, jarsOf(argv)...), folders, isOwn)
}

// withNeeded adds to files the libraries that they need and that are wanted, with what those need.
func withNeeded(files, folders []string, wanted func(name string) bool) []string {
	for i := 0; i < len(files); i++ {
		for _, path := range needed(files[i], folders, wanted) {
			if !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	return files
}

// jarsOf returns the files that the class path of an argument vector names.
func jarsOf(argv []string) (files []string) {
	for i, option := range argv[:max(0, len(argv)-1)] {
		if option != "-cp" && option != "-classpath" && option != "-jar" {
			continue
		}
		for _, path := range filepath.SplitList(argv[i+1]) {
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
				files = append(files, path)
			}
		}
	}
	return files
}

// modulesOf returns the script that an argument vector gives to Python, and the shared libraries below its folder;
// nil where it gives none.
func modulesOf(argv []string) (files []string) {
	i := slices.IndexFunc(argv, func(a string) bool { return strings.HasSuffix(a, ".py") && filepath.IsAbs(a) })
	if i < 1 || !strings.HasPrefix(filepath.Base(argv[0]), "python") {
		return nil
	}
	_ = filepath.WalkDir(filepath.Dir(argv[i]), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && sharedObject().MatchString(path) {
			files = append(files, path)
		}
		return nil
	})
	return append([]string{argv[i]}, files...)
}

// sharedObject is the name of a shared library, with or without a version.
var sharedObject = pattern.Lazy(`\.(so(\.[0-9.]+)?|dylib)$`)

// programOf returns the program of an argument vector and the folders in which it finds libraries first: a vector may
// begin with a dynamic loader.
func programOf(argv []string) (program string, folders []string) {
	if len(argv) == 0 {
		return "", nil
	}
	if !strings.HasPrefix(filepath.Base(argv[0]), "ld-linux") {
		return argv[0], nil
	}
	for i := 1; i < len(argv); i++ {
		switch {
		case argv[i] == "--library-path" && i+1 < len(argv):
			i++
			folders = append(folders, filepath.SplitList(argv[i])...)
		case !strings.HasPrefix(argv[i], "-"):
			return argv[i], folders
		}
	}
	return "", folders
}

// needed returns the libraries that a file says it needs, of those whose names are wanted.
func needed(path string, folders []string, wanted func(name string) bool) []string {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.ImportedLibraries()
	if err != nil {
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	places := slices.Clone(folders)
	for _, tag := range []elf.DynTag{elf.DT_RPATH, elf.DT_RUNPATH} {
		list, _ := f.DynString(tag) // absent in most files
		for _, text := range list {
			places = append(places, filepath.SplitList(strings.NewReplacer("$ORIGIN", filepath.Dir(real), "${ORIGIN}",
				filepath.Dir(real)).Replace(text))...)
		}
	}
	places = append(places, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	system, _ := filepath.Glob("/usr/lib/*-linux-gnu") // the pattern is well-formed
	places = append(append(places, filepath.Dir(real)), append(system, "/usr/local/lib", "/usr/lib64", "/usr/lib")...)
	var out []string
	for _, name := range names {
		if !wanted(name) {
			continue
		}
		for _, place := range places {
			if st, err := os.Stat(filepath.Join(place, name)); err == nil && st.Mode().IsRegular() {
				out = append(out, filepath.Join(place, name))
				break
			}
		}
	}
	return out
}
