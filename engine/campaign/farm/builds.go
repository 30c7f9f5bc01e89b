package farm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/solvers/build"
)

// Source says where the builds of a solver come from.
type Source struct {
	Variable string // of the campaign files, that is set to the path of the newest build
	Pattern  string // of the paths of builds (filepath.Match)
	Command  string // a command of sh whose last line of output is the path of the newest build, if there is no pattern
}

// Build is a build of a solver, identified by its path and its content.
type Build struct {
	Path   string    `json:"path"`
	SHA256 string    `json:"sha256"`
	Since  time.Time `json:"since"` // when it was seen first
}

// commandTime bounds the time of a command that names a build, which may include making the build.
const commandTime = 12 * time.Hour

// newest returns the path of the newest build of a source: of those that match, the one that was written last.
func (s *Source) newest(ctx context.Context) (string, error) {
	if s.Pattern == "" {
		return s.ask(ctx)
	}
	paths, err := filepath.Glob(s.Pattern)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Pattern, err)
	}
	best, at := "", time.Time{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if best == "" || cmp.Or(info.ModTime().Compare(at), strings.Compare(path, best)) > 0 {
			best, at = path, info.ModTime()
		}
	}
	if best == "" {
		return "", fmt.Errorf("no program matches %s", s.Pattern)
	}
	return filepath.Abs(best)
}

// ask runs the command of a source.
func (s *Source) ask(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", s.Command)
	cmd.WaitDelay = 10 * time.Second
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", s.Command, err, display.LastLine(wrong.String()))
	}
	path := display.LastLine(out.String())
	if path == "" {
		return "", fmt.Errorf("%s: it names no build: the last line of its output is to be a path", s.Command)
	}
	return filepath.Abs(path)
}

// book is a farm's record of builds, in a file of its folder.
type book struct {
	root   *os.Root
	Builds map[string][]Build `json:"builds"` // by variable, the newest last
}

// bookFile is the name of the file.
const bookFile = "farm.json"

func openBook(root *os.Root) (*book, error) {
	b := &book{root: root, Builds: map[string][]Build{}}
	text, err := root.ReadFile(bookFile)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = json.Unmarshal(text, b)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(root.Name(), bookFile), err)
	}
	if b.Builds == nil {
		b.Builds = map[string][]Build{}
	}
	return b, nil
}

// maxBuilds bounds how many builds of a solver are remembered.
const maxBuilds = 1000

// note makes a build the newest of its variable, and reports whether it was not that before.
func (b *book) note(variable, path string, now time.Time) (fresh bool, err error) {
	info, err := build.Of([]string{path})
	if err != nil {
		return false, err
	}
	known := b.Builds[variable]
	if n := len(known); n > 0 && known[n-1].SHA256 == info.SHA256 && known[n-1].Path == path {
		return false, nil
	}
	known = slices.DeleteFunc(known, func(x Build) bool { return x.SHA256 == info.SHA256 && x.Path == path })
	known = append(known, Build{Path: path, SHA256: info.SHA256, Since: now.UTC()})
	b.Builds[variable] = known[max(0, len(known)-maxBuilds):]
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return true, err
	}
	return true, durable.Replace(b.root, bookFile, append(text, 0x0A), 0o644)
}

// latest is the newest build of a variable; there is one.
func (b *book) latest(variable string) Build {
	known := b.Builds[variable]
	return known[len(known)-1]
}

// kept lists the builds of a variable that still exist with unchanged content, the newest first.
func (b *book) kept(variable string, most int) (out []Build) {
	known := b.Builds[variable]
	for i := len(known) - 1; i >= 0 && len(out) < most; i-- {
		if info, err := build.Of([]string{known[i].Path}); err == nil && info.SHA256 == known[i].SHA256 {
			out = append(out, known[i])
		}
	}
	return out
}
