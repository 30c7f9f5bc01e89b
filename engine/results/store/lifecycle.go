package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// ErrNoFinding says that there is no finding with a number.
var ErrNoFinding = errors.New("there is no finding")

// setStatus changes the status of a finding and remembers that it did.
func setStatus(tx *sql.Tx, id int64, status, detail, why string) error {
	if _, err := tx.Exec("UPDATE findings SET status = ?, detail = ?, revision = revision + 1 WHERE id = ?", status, detail, id); err != nil {
		return err
	}
	text := folder.StatusText(status, detail)
	if why != "" {
		text += ": " + why
	}
	return remember(tx, id, "status", text)
}

// remember adds to the history of a finding.
func remember(tx *sql.Tx, id int64, what, text string) error {
	_, err := tx.Exec("INSERT INTO history (finding, time, what, text) VALUES (?, ?, ?, ?)", id, stamp(time.Now()), what, text)
	return err
}

// ByNumber returns the finding that a number means, such as "7" or "flaky/2".
func byNumber(q querier, number string) (*row, error) {
	rest, flaky := strings.CutPrefix(number, "flaky/")
	n, err := strconv.Atoi(rest)
	if err != nil {
		return nil, fmt.Errorf("%w %q (want a number, such as 7 or flaky/2)", ErrNoFinding, number)
	}
	rows, err := rowsWhere(q, "WHERE flaky = ? AND number = ?", flaky, n)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%w %s", ErrNoFinding, number)
	}
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// lifecycle changes findings after they were found: their status, notes, merges, checks of other builds.
type lifecycle struct{ folders }

// on changes one finding and exports it.
func (s *lifecycle) on(number string, f func(tx *sql.Tx, r *row) error) error {
	err := s.change(func(tx *sql.Tx) error {
		r, err := byNumber(tx, number)
		if err != nil {
			return err
		}
		return f(tx, r)
	})
	if err != nil {
		return err
	}
	return s.exportStale()
}

var address = pattern.Lazy(`^[a-z]+://[^\s]+$`)

// SetReported notes the address of the report of a finding to the developers of the solver; "" takes it back. The
// status is another matter: a finding that was reported is open until a build does not show it.
func (s *lifecycle) SetReported(number, to string) error {
	if to != "" && !address().MatchString(to) {
		return fmt.Errorf("%q is no address of a report; want upstream:ADDRESS, as in "+
			"upstream:https://example.org/issues/7, or upstream: to take it back", to)
	}
	return s.on(number, func(tx *sql.Tx, r *row) error {
		if r.reported == to {
			return nil
		}
		_, err := tx.Exec("UPDATE findings SET reported = ?, revision = revision + 1 WHERE id = ?", to, r.id)
		if err != nil {
			return err
		}
		text := "reported: " + to
		if to == "" {
			text = "not reported: " + r.reported + " was taken back"
		}
		return remember(tx, r.id, "status", text)
	})
}

// ParseStatus parses a status as users write it: open, fixed, fixed:VERSION, invalid, dup:NUMBER.
func ParseStatus(text string) (status, detail string, err error) {
	status, detail, has := strings.Cut(text, ":")
	switch status {
	case folder.StatusOpen, folder.StatusInvalid:
		if has {
			return "", "", fmt.Errorf("%s takes no argument", status)
		}
	case folder.StatusFixed:
	case folder.StatusDup:
		if _, err := strconv.Atoi(detail); err != nil {
			return "", "", fmt.Errorf("dup wants the number of the other finding: dup:3")
		}
	default:
		return "", "", fmt.Errorf("%q is no status; want open, fixed, fixed:VERSION, invalid, dup:NUMBER or upstream:ADDRESS", text)
	}
	return status, detail, nil
}

// Regressed returns the numbers of findings that were fixed and are back.
func (s *lifecycle) Regressed() (numbers []int, err error) {
	err = s.change(func(tx *sql.Tx) error {
		rows, err := rowsWhere(tx, "WHERE flaky = 0 AND status = ?", folder.StatusRegressed)
		for _, r := range rows {
			numbers = append(numbers, r.number)
		}
		return err
	})
	return numbers, err
}

// Set changes the status of a finding.
func (s *lifecycle) Set(number, status, detail string) error {
	return s.on(number, func(tx *sql.Tx, r *row) error {
		if status == folder.StatusDup {
			o, err := byNumber(tx, detail)
			if err != nil {
				return err
			}
			if o.id == r.id {
				return fmt.Errorf("%s cannot be a duplicate of itself", r.name())
			}
			if o.status == folder.StatusDup {
				return fmt.Errorf("finding %s is a duplicate of %s itself; say dup:%s", detail, o.detail, o.detail)
			}
		}
		return setStatus(tx, r.id, status, detail, "by hand")
	})
}

// Note adds a line to the history of a finding.
func (s *lifecycle) Note(number, text string) error {
	return s.on(number, func(tx *sql.Tx, r *row) error {
		if err := remember(tx, r.id, "note", text); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE findings SET revision = revision + 1 WHERE id = ?", r.id)
		return err
	})
}

// Merge makes finding b part of finding a: verdicts like either are then counted at a, and b becomes a duplicate of it.
func (s *lifecycle) Merge(a, b, reason string) error {
	return s.on(a, func(tx *sql.Tx, to *row) error {
		from, err := byNumber(tx, b)
		if err != nil {
			return err
		}
		return merge(tx, to, from, "by hand", reason)
	})
}

// Join implements campaign.Merger. Whether the finding is still open, and whether somebody
// has reported it, is read together with the change: another campaign may join
// it at this moment.
func (s *lifecycle) Join(to, from *finding.Finding, reason string) (joined bool, err error) {
	err = s.on(strconv.Itoa(to.Number), func(tx *sql.Tx, r *row) error {
		b, err := byNumber(tx, strconv.Itoa(from.Number))
		if err != nil || b.status != folder.StatusOpen && b.status != folder.StatusRegressed || b.reported != "" {
			return err
		}
		if r, err = original(tx, r); err != nil || r.id == b.id {
			return err
		}
		joined = true
		return merge(tx, r, b, "by the campaign", reason)
	})
	if errors.Is(err, ErrNoFinding) { // somebody removed one of them
		return false, nil
	}
	return joined && err == nil, err
}

// original returns the finding that a duplicate is one of.
func original(q querier, r *row) (*row, error) {
	var err error
	for i := 0; i < maxDuplicates && r.status == folder.StatusDup && err == nil; i++ {
		r, err = byNumber(q, r.detail)
	}
	return r, err
}

// merge makes a finding a duplicate of another one.
func merge(tx *sql.Tx, to, from *row, by, reason string) error {
	if from.id == to.id {
		return fmt.Errorf("%s cannot be merged with itself", to.name())
	}
	if to.flaky || from.flaky {
		return errors.New("flaky findings are not merged")
	}
	why := fmt.Sprintf("merged with %s %s", from.name(), by)
	if reason != "" {
		why += ": " + reason
	}
	if _, err := tx.Exec("UPDATE signatures SET finding = ?, reason = ? WHERE finding = ?", to.id, why, from.id); err != nil {
		return err
	}
	if from.status != folder.StatusDup { // else another one has its count already
		if _, err := tx.Exec("UPDATE findings SET count = count + ? WHERE id = ?", from.count, to.id); err != nil {
			return err
		}
	}
	if err := remember(tx, to.id, "merge", why); err != nil {
		return err
	}
	// A report about the one is a report about the other.
	if _, err := tx.Exec("UPDATE findings SET reported = ? WHERE id = ? AND reported = ''", from.reported, to.id); err != nil {
		return err
	}
	if err := setStatus(tx, from.id, folder.StatusDup, strconv.Itoa(to.number), "merged "+by); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE findings SET revision = revision + 1 WHERE id = ?", to.id)
	return err
}

// Split undoes merges: every finding that was merged into this one gets its own signature back and is open again. It
// returns their numbers.
func (s *lifecycle) Split(number string) (parted []int, err error) {
	err = s.on(number, func(tx *sql.Tx, r *row) error {
		dups, err := rowsWhere(tx, "WHERE flaky = 0 AND status = ? AND detail = ? ORDER BY number", folder.StatusDup, strconv.Itoa(r.number))
		if err != nil {
			return err
		}
		left := r.count
		for _, d := range dups {
			f, err := d.finding()
			if err != nil {
				return err
			}
			moved, err := tx.Exec("UPDATE signatures SET finding = ?, reason = ? WHERE finding = ? AND key = ?", d.id, folder.OwnSignature, r.id, f.Signature.Key)
			if err != nil {
				return err
			}
			if n, err := moved.RowsAffected(); err != nil || n == 0 {
				continue // it shares the signature, so nothing could tell them apart
			}
			left -= d.count
			if err := setStatus(tx, d.id, folder.StatusOpen, "", fmt.Sprintf("split from %s by hand", r.name())); err != nil {
				return err
			}
			parted = append(parted, d.number)
		}
		if len(parted) == 0 {
			return fmt.Errorf("nothing was merged into %s", r.name())
		}
		if err := remember(tx, r.id, "split", fmt.Sprintf("findings %v are their own again", parted)); err != nil {
			return err
		}
		_, err = tx.Exec("UPDATE findings SET count = ?, revision = revision + 1 WHERE id = ?", max(left, 1), r.id)
		return err
	})
	return parted, err
}

// Finding returns a finding with everything that is stored of it.
func (s *Store) Finding(number string) (*finding.Finding, error) {
	r, err := byNumber(s.db, number)
	if err != nil {
		return nil, err
	}
	f, err := r.finding()
	if err == nil {
		f.Dir = filepath.Join(s.Findings(), r.dir())
	}
	return f, err
}

// removeStale deletes the folders of findings below a folder of all findings that the database no longer has, such as
// after a merge of stores; it touches no folder without a finding.json of smtlark.
func (s *folders) removeStale(dir string, keep []string) error {
	root, err := os.OpenRoot(s.Findings())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		m := folder.Numbered().FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() || slices.Contains(keep, e.Name()) {
			continue
		}
		if _, err := folder.ReadRecord(filepath.Join(s.Findings(), dir, e.Name())); err != nil {
			continue
		}
		number := m[1] + "-"
		if slices.ContainsFunc(keep, func(k string) bool { return strings.HasPrefix(k, number) }) { // the same finding under an older name
			if err := root.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
