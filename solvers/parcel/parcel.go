// Package parcel makes solvers of one machine run on another: it lists the files that a program or library consists
// of, by their hashes, and lays them out where they have arrived.
package parcel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/build"
)

// Parcel is a solver to be sent: a program or library with all that it loads, the C library and the dynamic loader
// included.
type Parcel struct {
	Kind    string `json:"kind"` // the name of its profile
	Name    string `json:"name"` // such as z3-4.13.3
	From    string `json:"from"` // its path on the machine that it comes from, by which a campaign file may name it
	Library bool   `json:"library,omitempty"`
	Start   string `json:"start,omitempty"` // the text of the script that starts it
	Files   []File `json:"files"`           // the program or library first
}

// File is one file of a parcel.
type File struct {
	Name   string `json:"name"`           // in the parcel, with slashes
	Link   string `json:"link,omitempty"` // another name of it in the same folder
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Path   string `json:"-"` // on the machine that it comes from
}

// Laid is a parcel that has arrived: where it lies now.
type Laid struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	From    string `json:"from"`
	Path    string `json:"path"`
	Library bool   `json:"library,omitempty"`
}

// Folders of a parcel.
const (
	startFolder   = "bin"
	programFolder = "program"
	libraryFolder = "lib"
)

// Of packs a solver of this machine. The error says why it cannot be sent.
func Of(s *solvers.Solver) (*Parcel, error) {
	p := &Parcel{Kind: s.Profile.Name, Name: s.Name, From: cmp.Or(s.Library, s.Path), Library: s.Library != ""}
	argv := s.Exec
	if p.Library { // Exec is the loader and smtlark
		argv = append(append([]string{}, argv[:max(0, len(argv)-1)]...), s.Library)
	}
	whole := build.WholeOf(argv)
	if whole == nil {
		return nil, fmt.Errorf("%s is no program that can be sent to other machines", s.Path)
	}
	base := filepath.Base(p.From)
	switch {
	case p.Library:
		if err := p.add(libraryFolder, whole.Main); err != nil {
			return nil, err
		}
	case whole.Loader == "" && len(whole.Arguments) == 0: // a script, or a program without libraries
		if err := p.addAs(startFolder+"/"+base, whole.Main); err != nil {
			return nil, err
		}
		return p, nil
	default:
		if err := p.add(programFolder, whole.Main); err != nil {
			return nil, err
		}
	}
	for _, path := range whole.Libraries {
		if err := p.add(libraryFolder, path); err != nil {
			return nil, err
		}
	}
	if whole.Loader != "" {
		if err := p.addAs(libraryFolder+"/"+filepath.Base(whole.Loader), whole.Loader); err != nil {
			return nil, err
		}
	}
	if p.Library {
		return p, nil
	}
	// As tools/fetch-solvers.sh writes them, which smtlark starts without a shell.
	var words []string
	if whole.Loader != "" {
		words = append(words, "$here/../"+libraryFolder+"/"+filepath.Base(whole.Loader), "--library-path",
			"$here/../"+libraryFolder)
	}
	words = append(append(words, "$here/../"+p.Files[0].Name), whole.Arguments...)
	for _, w := range words {
		if strings.ContainsAny(strings.TrimPrefix(w, "$"), "\"$`\\\n") {
			return nil, fmt.Errorf("%s is started with %q, which cannot be sent to other machines", s.Path, w)
		}
	}
	p.Start = "#!/bin/sh\nhere=$(dirname \"$(readlink -f \"$0\")\")\nexec \"" + strings.Join(words, "\" \"") + "\" \"$@\"\n"
	return p, nil
}

// add adds a file by its real name, which tells builds apart, and the name by which it is asked for.
func (p *Parcel) add(folder, path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if err := p.addAs(folder+"/"+filepath.Base(real), path); err != nil {
		return err
	}
	if name := filepath.Base(path); name != filepath.Base(real) {
		p.Files[len(p.Files)-1].Link = name
	}
	return nil
}

func (p *Parcel) addAs(name, path string) error {
	info, err := build.Of([]string{path})
	if err != nil {
		return err
	}
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	p.Files = append(p.Files, File{Name: name, SHA256: info.SHA256, Bytes: st.Size(), Path: info.Files[0].Path})
	return nil
}

// Bytes is the size of all files.
func (p *Parcel) Bytes() (n int64) {
	for _, f := range p.Files {
		n += f.Bytes
	}
	return n
}

// Folder is the name of the folder that a parcel is laid out in: a hash of all that it says.
func (p *Parcel) Folder() string {
	text, _ := json.Marshal(p) // strings and numbers
	return build.HashOf(text)
}

// Lay writes the files of a parcel to a separate folder below folder, unless they are there already. fetch returns the
// path of a file with a hash, which it has checked; Lay may hard-link that file.
func (p *Parcel) Lay(folder string, fetch func(f *File) (string, error)) (*Laid, error) {
	out := filepath.Join(folder, p.Folder())
	if err := p.validate(); err != nil {
		return nil, err
	}
	laid := &Laid{Kind: p.Kind, Name: p.Name, From: p.From, Library: p.Library, Path: filepath.Join(out, startFolder, filepath.Base(p.From))}
	if p.Library {
		laid.Path = filepath.Join(out, filepath.FromSlash(p.Files[0].Name))
	}
	if p.isWhole(out) {
		return laid, nil
	}
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	fresh, err := os.MkdirTemp(folder, ".new-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fresh)
	root, err := os.OpenRoot(fresh) // names come from another machine
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, dir := range []string{startFolder, programFolder, libraryFolder} {
		if err := root.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	for i := range p.Files {
		if err := p.layFile(root, &p.Files[i], fetch); err != nil {
			return nil, err
		}
	}
	if p.Start != "" {
		if err := root.WriteFile(startFolder+"/"+filepath.Base(p.From), []byte(p.Start), 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.Rename(fresh, out); err != nil && !p.isWhole(out) { // another process may have been faster
		return nil, err
	}
	return laid, nil
}

// validate checks the description of a parcel from another machine.
func (p *Parcel) validate() error {
	if len(p.Files) == 0 || !filepath.IsLocal(filepath.Base(p.From)) {
		return fmt.Errorf("the parcel of %q has no program", p.Name)
	}
	for i := range p.Files {
		if f := &p.Files[i]; !filepath.IsLocal(filepath.FromSlash(f.Name)) || f.Link != "" && f.Link != filepath.Base(f.Link) {
			return fmt.Errorf("%q, %q are no names of a file in the parcel of %s", f.Name, f.Link, p.Name)
		}
	}
	return nil
}

// isWhole reports whether a parcel lies in a folder with the content that it was sent with.
func (p *Parcel) isWhole(folder string) bool {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return false
	}
	defer root.Close()
	for i := range p.Files {
		text, err := root.ReadFile(filepath.FromSlash(p.Files[i].Name))
		if err != nil || build.HashOf(text) != p.Files[i].SHA256 {
			return false
		}
	}
	if p.Start == "" {
		return true
	}
	text, err := root.ReadFile(startFolder + "/" + filepath.Base(p.From))
	return err == nil && bytes.Equal(text, []byte(p.Start))
}

func (p *Parcel) layFile(root *os.Root, f *File, fetch func(f *File) (string, error)) error {
	path, err := fetch(f)
	if err != nil {
		return err
	}
	name := filepath.FromSlash(f.Name)
	if os.Link(path, filepath.Join(root.Name(), name)) != nil { // name is local, and nothing else writes into the folder yet
		if err := copyInto(root, path, name); err != nil {
			return err
		}
	}
	if f.Link == "" {
		return nil
	}
	return root.Symlink(filepath.Base(name), filepath.Join(filepath.Dir(name), f.Link))
}

func copyInto(root *os.Root, path, name string) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o700))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
