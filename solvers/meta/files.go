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

// Files names the files that writers and tees write. In the pattern {hash} stands for the first 16 hexadecimal digits of the
// SHA-256 of what is written, so that each question has a file of its own, and {target} for who was asked. Without {hash}
// the questions are put one behind the other.
type Files struct {
	Pattern string
	opened  int
}

// path returns the file for a hash.
func (f *Files) path(target, hash string) string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/ \t\n\\:*?\"<>|", r) {
			return '_'
		}
		return r
	}, target)
	return strings.NewReplacer("{hash}", hash, "{target}", clean).Replace(f.Pattern)
}

// open opens a file to be appended to, and makes its folder.
func (f *Files) open(path string, flag int) (*os.File, error) {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		var file *os.File
		if file, err = os.OpenFile(path, flag|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
			return file, nil
		}
	}
	return nil, fmt.Errorf("what is asked cannot be written: %w", err)
}

// add writes a question as a whole, so that workers that share a file do not mix theirs.
func (f *Files) add(target, text string) error {
	sum := sha256.Sum256([]byte(text))
	flag := os.O_APPEND
	if strings.Contains(f.Pattern, "{hash}") {
		flag = os.O_TRUNC
	}
	file, err := f.open(f.path(target, hex.EncodeToString(sum[:8])), flag)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// live opens a file of its own for a live session, whose end is not known yet: {hash} is live-PROCESS-NUMBER then.
func (f *Files) live(target string) (io.WriteCloser, error) {
	f.opened++
	id := fmt.Sprintf("live-%d-%d", os.Getpid(), f.opened)
	path := f.path(target, id)
	if !strings.Contains(f.Pattern, "{hash}") {
		ext := filepath.Ext(path)
		path = strings.TrimSuffix(path, ext) + "-" + id + ext
	}
	return f.open(path, os.O_TRUNC)
}
