package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
)

// Names of files and folders.
const (
	recordFile = "finding.json"
	flakyDir   = "flaky"
	lockFile   = ".lock"
)

// Folder is a campaign.Store in a folder.
type Folder struct {
	dir   string
	cache map[string]*Record // by path of the finding's folder
	base  map[string]int     // count of a known finding before this campaign, by signature
}

// OpenFolder opens a folder of findings; it is made if it is not there. An error says that it cannot be written.
func OpenFolder(dir string) (*Folder, error) {
	s := &Folder{dir: dir, cache: map[string]*Record{}, base: map[string]int{}}
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	unlock()
	return s, nil
}

// lock keeps other processes from numbering findings at the same time.
func (s *Folder) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, lockFile), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
	}
	return func() { f.Close() }, nil
}

var numbered = regexp.MustCompile(`^(\d{4,})-`)

// scan reads the records of a folder's findings. A folder without a readable record is left alone, but its number is
// taken.
func (s *Folder) scan(dir string) (records []*Record, last int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		m := numbered.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		last = max(last, n)
		path := filepath.Join(dir, e.Name())
		r := s.cache[path]
		if r == nil {
			if r, err = ReadRecord(path); err != nil {
				continue
			}
			s.cache[path] = r
		}
		records = append(records, r)
	}
	return records, last, nil
}

// Known returns the findings that reproduced.
func (s *Folder) Known() ([]*campaign.Finding, error) {
	records, _, err := s.scan(s.dir)
	if err != nil {
		return nil, err
	}
	var out []*campaign.Finding
	for _, r := range records {
		if r.Signature.Key == "" {
			continue
		}
		f := &campaign.Finding{}
		s.adopt(f, r)
		out = append(out, f)
	}
	return out, nil
}

// adopt turns f into a finding that is stored already.
func (s *Folder) adopt(f *campaign.Finding, r *Record) {
	f.Known, f.Number, f.Dir, f.Signature, f.Slug, f.Verdict = true, r.Number, filepath.Join(s.dir, r.folderName), r.Signature, r.Slug, r.Verdict
	f.Flaky, f.Hits, f.Tries = false, r.Hits, r.Tries
	s.base[r.Signature.Key] = r.Count
}

// Save stores a finding; see campaign.Store.
func (s *Folder) Save(f *campaign.Finding) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	records, last, err := s.scan(s.dir)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(records, func(r *Record) bool { return r.Signature.Key == f.Signature.Key }); i >= 0 {
		s.adopt(f, records[i])
		return nil
	}
	dir, was := s.dir, f.Dir
	if f.Flaky {
		dir = filepath.Join(s.dir, flakyDir)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if records, last, err = s.scan(dir); err != nil {
			return err
		}
		if i := slices.IndexFunc(records, func(r *Record) bool { return r.Signature.Key == f.Signature.Key }); i >= 0 {
			f.Number, f.Dir = records[i].Number, filepath.Join(dir, records[i].folderName)
			return s.Update(f)
		}
	}
	if err := s.write(f, dir, last+1); err != nil {
		return err
	}
	if was != "" && was != f.Dir { // it was thought to be flaky
		_ = os.RemoveAll(was)
	}
	return nil
}

// write makes the folder of a finding.
func (s *Folder) write(f *campaign.Finding, dir string, number int) error {
	temp, err := os.MkdirTemp(dir, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // a no-op after the rename
	f.Number = number
	final := filepath.Join(dir, fmt.Sprintf("%04d-%s", number, f.Slug))
	files, err := bundle(f, final)
	if err != nil {
		return err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		path := filepath.Join(temp, file.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := writeNew(path, file.data, file.mode); err != nil {
			return err
		}
	}
	if err := syncDir(temp); err != nil {
		return err
	}
	if err := os.Rename(temp, final); err != nil {
		return err
	}
	f.Dir = final
	return syncDir(dir)
}

// Update stores what changed of a finding; see campaign.Store.
func (s *Folder) Update(f *campaign.Finding) error {
	if f.Known {
		return s.count(f)
	}
	files, err := bundle(f, f.Dir)
	if err != nil {
		return err
	}
	for _, file := range files { // finding.json comes last
		path := filepath.Join(f.Dir, file.name)
		if old, err := os.ReadFile(path); err == nil && string(old) == string(file.data) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := replace(path, file.data, file.mode); err != nil {
			return err
		}
	}
	return nil
}

// count adds what this campaign saw of a finding of an earlier one.
func (s *Folder) count(f *campaign.Finding) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	r, err := ReadRecord(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody removed it meanwhile: it was dealt with
	}
	if err != nil {
		return err
	}
	key := f.Signature.Key
	if r.Count = s.base[key] + f.Count; f.Count > 0 {
		r.LastSeen = time.Now()
	}
	text, err := jsonText(r)
	if err != nil {
		return err
	}
	return replace(filepath.Join(f.Dir, recordFile), text, 0o644)
}

// List returns the records of all findings, and of the flaky ones, by number.
func (s *Folder) List() (findings, flaky []*Record, err error) {
	if findings, _, err = s.scan(s.dir); err != nil {
		return nil, nil, err
	}
	flaky, _, err = s.scan(filepath.Join(s.dir, flakyDir))
	return findings, flaky, err
}

// ListFolder is List for a folder that is only read.
func ListFolder(dir string) (findings, flaky []*Record, err error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, nil, err
	}
	s := &Folder{dir: dir, cache: map[string]*Record{}}
	return s.List()
}
