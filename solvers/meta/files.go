package meta

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Files names the files that writers and tees write, all of them below the folder Dir: neither dots nor links lead out
// of it. In the pattern, {hash} stands for the first 16 hexadecimal digits of the SHA-256 of the content, so that each
// question gets its own file, and {target} for the target. Without {hash}, questions are appended to one file.
type Files struct {
	Dir     string // is made when it is missing
	Pattern string // relative to Dir
	opened  int
}

// pathFor returns the file for a hash.
func (f *Files) pathFor(target, hash string) string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/ \t\n\\:*?\"<>|", r) {
			return '_'
		}
		return r
	}, target)
	return strings.NewReplacer("{hash}", hash, "{target}", clean).Replace(f.Pattern)
}

// openFile opens a file to be appended to, and makes its folder.
func (f *Files) openFile(path string, flag int) (*os.File, error) {
	file, err := openBelow(f.Dir, path, flag)
	if err != nil {
		return nil, fmt.Errorf("what is asked cannot be written into %s: %w", f.Dir, err)
	}
	return file, nil
}

func openBelow(dir, path string, flag int) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return root.OpenFile(path, flag|os.O_CREATE|os.O_WRONLY, 0o644)
}

// writeQuestion writes a question as a whole, so that workers that share a file do not mix theirs.
func (f *Files) writeQuestion(target, text string) error {
	sum := sha256.Sum256([]byte(text))
	flag := os.O_APPEND
	if strings.Contains(f.Pattern, "{hash}") {
		flag = os.O_TRUNC
	}
	file, err := f.openFile(f.pathFor(target, hex.EncodeToString(sum[:8])), flag)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// openForSession opens a separate file for a live session. Since its content is not known yet, {hash} is
// live-PROCESS-NUMBER.
func (f *Files) openForSession(target string) (io.WriteCloser, error) {
	f.opened++
	id := fmt.Sprintf("live-%d-%d", os.Getpid(), f.opened)
	path := f.pathFor(target, id)
	if !strings.Contains(f.Pattern, "{hash}") {
		ext := filepath.Ext(path)
		path = strings.TrimSuffix(path, ext) + "-" + id + ext
	}
	return f.openFile(path, os.O_TRUNC)
}
