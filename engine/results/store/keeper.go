package store

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
)

// Identity is equal for two runs of the same campaign: then the later one goes on where the earlier one ended.
type Identity struct {
	File string            // absolute path of the campaign file, or its name when it has none
	Text string            // the content of the file
	Set  map[string]string // --set
	// Loads has the texts of the modules that the file loads, by name.
	Loads map[string][]byte
	Seed  *uint64 // nil: the user gave none, the latest is taken
}

// settings returns those of the user: none are the same as an empty list of them.
func (i *Identity) settings() map[string]string {
	if i.Set == nil {
		return map[string]string{}
	}
	return i.Set
}

// key identifies the campaign.
func (i *Identity) key() string {
	text, _ := json.Marshal([]any{i.File, i.settings(), i.hashes()}) // strings can always be written
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// hashes are those of the texts that make the campaign, by file.
func (i *Identity) hashes() map[string]string {
	out := map[string]string{}
	add := func(name, text string) {
		sum := sha256.Sum256([]byte(text))
		out[name] = hex.EncodeToString(sum[:8])
	}
	add(filepath.Base(i.File), i.Text)
	for name, text := range i.Loads {
		add(name, string(text))
	}
	return out
}

// Resumed says where a campaign begins.
type Resumed struct {
	Seed uint64
	From *finding.Progress // nil: at the first case
	// Changed names the files that differ from those of the latest run of the same campaign file, if the differences
	// make it another campaign. Then Before tells where that campaign ended, and From is nil.
	Changed []string
	Before  Progressed
	Busy    bool // another process runs the same campaign; this one keeps no progress
}

// Progressed is the progress of a campaign.
type Progressed struct {
	Next uint64
	Seed string
}

// progress has the progress of the running campaign, and the verdicts that it holds.
type progress struct {
	*database
	campaign, seed string // "" where another process keeps the progress; see Campaign
	unlock         func()
}

// isKept reports whether the progress is that of this process.
func (s *progress) isKept() bool { return s.campaign != "" }

// Campaign begins or resumes a campaign. newSeed is the seed of one that has none yet. With fresh it starts over: the
// progress of an earlier run is deleted, its findings stay.
func (s *progress) Campaign(id Identity, newSeed uint64, fresh bool) (Resumed, error) {
	key := id.key()
	r := Resumed{Seed: newSeed}
	if id.Seed != nil {
		r.Seed = *id.Seed
	}
	var p finding.Progress
	var seed, open string
	found := false
	query, args := "SELECT seed, next, open, modes FROM progress WHERE campaign = ? ORDER BY updated DESC LIMIT 1", []any{key}
	if id.Seed != nil {
		query, args = "SELECT seed, next, open, modes FROM progress WHERE campaign = ? AND seed = ?", []any{key, seedText(*id.Seed)}
	}
	if !fresh || id.Seed != nil {
		err := s.db.QueryRow(query, args...).Scan(&seed, &p.Next, &open, &p.Modes)
		switch {
		case err == nil:
			if err := json.Unmarshal([]byte(open), &p.Open); err != nil {
				return r, fmt.Errorf("%s: progress: %w", s.path(), err)
			}
			if len(p.Modes) == 0 {
				p.Modes = nil
			}
			found = true
		case !errors.Is(err, sql.ErrNoRows):
			return r, explain(s.path(), err)
		}
	}
	if found {
		if _, err := fmt.Sscanf(seed, "0x%x", &r.Seed); err != nil {
			return r, fmt.Errorf("%s: seed %q: %w", s.path(), seed, err)
		}
	}
	var err error
	unlock, ok := func() {}, true
	if s.fence.campaign == "" { // who leads has it, whatever one that was replaced has locked
		if unlock, ok, err = tryLock(filepath.Join(s.out, runsDir, "."+key+"-"+seedText(r.Seed)+".lock")); err != nil {
			return r, err
		}
	}
	if !ok {
		if id.Seed == nil {
			r.Seed = newSeed
		}
		r.Busy = true
		return r, nil
	}
	s.unlock, s.campaign, s.seed = unlock, key, seedText(r.Seed)
	if !found && !fresh {
		if err := s.changed(&id, key, &r); err != nil {
			return r, err
		}
	}
	if err := s.describe(&id, key); err != nil {
		return r, err
	}
	switch {
	case found && fresh:
		// The progress of an earlier run with this seed must not be resumed next time.
		err = s.change(func(tx *sql.Tx) error {
			_, err := tx.Exec("DELETE FROM progress WHERE campaign = ? AND seed = ?", s.campaign, s.seed)
			return err
		})
	case found:
		r.From = &p
	}
	return r, err
}

// describe stores the settings and parts of a campaign.
func (s *progress) describe(id *Identity, key string) error {
	set, parts := texts(id)
	return s.change(func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO campaigns (key, file, settings, parts, updated) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET updated = excluded.updated`, key, id.File, set, parts, stamp(time.Now()))
		return err
	})
}

func texts(id *Identity) (set, parts string) {
	a, _ := json.Marshal(id.settings()) // strings can always be written
	b, _ := json.Marshal(id.hashes())
	return string(a), string(b)
}

// changed lists the differences from the latest run of the same file with the same settings.
func (s *progress) changed(id *Identity, key string, r *Resumed) error {
	set, _ := texts(id)
	var parts string
	err := s.db.QueryRow(`SELECT parts, next, seed FROM campaigns JOIN progress ON campaigns.key = progress.campaign
		WHERE file = ? AND settings = ? AND key <> ? ORDER BY progress.updated DESC LIMIT 1`, id.File, set, key).Scan(&parts, &r.Before.Next, &r.Before.Seed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	old := map[string]string{}
	if err == nil {
		err = json.Unmarshal([]byte(parts), &old)
	}
	if err != nil {
		return explain(s.path(), err)
	}
	now := id.hashes()
	for name, hash := range now {
		if old[name] != hash {
			r.Changed = append(r.Changed, name)
		}
	}
	for name := range old {
		if now[name] == "" {
			r.Changed = append(r.Changed, name)
		}
	}
	slices.Sort(r.Changed)
	return nil
}

func seedText(seed uint64) string { return fmt.Sprintf("0x%x", seed) }

// Checkpoint implements campaign.Keeper.
func (s *progress) Checkpoint(p finding.Progress, counted, settled []*finding.Finding) error {
	if p.Open == nil {
		p.Open = [][2]uint64{}
	}
	open, err := json.Marshal(p.Open)
	if err != nil {
		return err
	}
	err = s.change(func(tx *sql.Tx) error {
		for _, f := range settled {
			if err := s.release(tx, f); err != nil {
				return err
			}
		}
		for _, f := range counted {
			if err := s.bookDone(tx, f); err != nil {
				return err
			}
		}
		if !s.isKept() { // another process keeps the progress
			return nil
		}
		_, err := tx.Exec(`INSERT INTO progress (campaign, seed, next, open, modes, updated) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (campaign, seed) DO UPDATE SET next = excluded.next, open = excluded.open, modes = excluded.modes, updated = excluded.updated`,
			s.campaign, s.seed, p.Next, string(open), string(p.Modes), stamp(time.Now()))
		return err
	})
	if err == nil {
		for _, f := range counted {
			f.Booked = f.Count
		}
	}
	return err
}

// bookDone adds the verdicts of a finding that the database does not have yet: to the finding, or to the verdict that
// is held and on its way to become one.
func (s *progress) bookDone(tx *sql.Tx, f *finding.Finding) error {
	if f.Dir != "" || !s.isKept() || f.Case == nil {
		return book(tx, f)
	}
	_, err := tx.Exec("UPDATE held SET count = count + ? WHERE campaign = ? AND seed = ? AND signature = ? AND number = ?",
		f.Count-f.Booked, s.campaign, s.seed, f.Signature.BucketKey(), f.Case.Origin.Number)
	return err
}

// Hold implements campaign.Keeper.
func (s *progress) Hold(f *finding.Finding) error {
	if !s.isKept() {
		return nil
	}
	doc, err := packFinding(f)
	if err != nil {
		return err
	}
	return s.change(func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO held (campaign, seed, signature, number, doc, count) VALUES (?, ?, ?, ?, ?, 0)",
			s.campaign, s.seed, f.Signature.BucketKey(), f.Case.Origin.Number, doc)
		return err
	})
}

// Recalls implements campaign.Keeper.
func (s *progress) Recalls() bool { return s.isKept() }

// Recall implements campaign.Keeper.
func (s *progress) Recall(f *finding.Finding) error {
	var doc []byte
	err := s.db.QueryRow("SELECT doc FROM held WHERE campaign = ? AND seed = ? AND signature = ? AND number = ?",
		s.campaign, s.seed, f.Signature.BucketKey(), f.Case.Origin.Number).Scan(&doc)
	if err != nil {
		return explain(s.path(), err)
	}
	var whole finding.Finding
	if err := unpack(doc, &whole); err != nil {
		return fmt.Errorf("%s: a verdict that waits to be settled cannot be read: %w", s.path(), err)
	}
	f.TakeBack(&whole)
	return nil
}

// release forgets a verdict that is held.
func (s *progress) release(tx *sql.Tx, f *finding.Finding) error {
	if !s.isKept() || f.Case == nil {
		return nil
	}
	_, err := tx.Exec("DELETE FROM held WHERE campaign = ? AND seed = ? AND signature = ? AND number = ?", s.campaign, s.seed, f.Signature.BucketKey(), f.Case.Origin.Number)
	return err
}

// Held implements campaign.Keeper.
func (s *progress) Held() ([]*finding.Finding, error) {
	rows, err := s.db.Query("SELECT doc, count FROM held WHERE campaign = ? AND seed = ? ORDER BY number, signature", s.campaign, s.seed)
	if err != nil {
		return nil, explain(s.path(), err)
	}
	defer rows.Close()
	var out []*finding.Finding
	for rows.Next() {
		var doc []byte
		count := 0
		if err := rows.Scan(&doc, &count); err != nil {
			return nil, err
		}
		f := &finding.Finding{}
		if err := unpack(doc, f); err != nil {
			s.broken = append(s.broken, fmt.Errorf("%s: a verdict that was to be settled cannot be read and is left out, the others are not: %w", s.path(), err))
			continue
		}
		f.Count = count
		out = append(out, f)
	}
	return out, rows.Err()
}

// InVain implements campaign.Keeper.
func (s *Store) InVain() (map[string]int, error) {
	rows, err := rowsWhere(s.db, "WHERE flaky = 1 ORDER BY number")
	if err != nil {
		return nil, explain(s.path(), err)
	}
	out := map[string]int{}
	for _, r := range rows {
		f, err := r.finding()
		if err != nil {
			if err = s.leaveOut(r, err); err != nil {
				return nil, err
			}
			continue
		}
		out[f.Signature.Key] = f.Tried
	}
	return out, nil
}

// Again implements campaign.Keeper.
func (s *Store) Again() ([]*finding.Finding, error) {
	rows, err := rowsWhere(s.db, "WHERE flaky = 0 AND status NOT IN (?, ?) ORDER BY number", folder.StatusInvalid, folder.StatusDup)
	if err != nil {
		return nil, explain(s.path(), err)
	}
	var out []*finding.Finding
	for _, r := range rows {
		f, err := r.finding()
		if err != nil {
			if err = s.leaveOut(r, err); err != nil {
				return nil, err
			}
			continue
		}
		f.Dir = filepath.Join(s.Findings(), r.dir())
		out = append(out, f)
	}
	return out, nil
}

// Checked implements campaign.Keeper: it flips the status between open, fixed and regressed.
func (s *lifecycle) Checked(f *finding.Finding, checks []finding.Check) (text string, err error) {
	if len(checks) == 0 {
		return "", nil
	}
	err = s.change(func(tx *sql.Tx) error {
		rows, err := rowsWhere(tx, "WHERE flaky = 0 AND number = ?", f.Number)
		if err != nil || len(rows) == 0 {
			return err
		}
		r := rows[0]
		for _, c := range checks {
			if err := putCheck(tx, r.id, folder.VersionCheck{Check: c, Time: time.Now()}); err != nil {
				return err
			}
		}
		if _, err := tx.Exec("UPDATE findings SET revision = revision + 1 WHERE id = ?", r.id); err != nil { // its page lists the checks
			return err
		}
		all, err := checksOf(tx, r.id)
		if err != nil {
			return err
		}
		status, detail := judgeChecks(r.status, r.detail, all)
		if status == r.status && detail == r.detail {
			return nil
		}
		why := "it no longer reproduces"
		if status != folder.StatusFixed {
			why = "it reproduces again"
		}
		text = fmt.Sprintf("%s is %s: %s (%s)", r.name(), folder.StatusText(status, detail), whoShows(checks), f.Verdict.Summary)
		return setStatus(tx, r.id, status, detail, why)
	})
	if err == nil {
		err = s.exportStale()
	}
	if err == nil && slices.ContainsFunc(checks, func(c finding.Check) bool { return c.Hits > 0 }) { // the campaign is about to name its folder
		_, _, err = s.Restore(strconv.Itoa(f.Number))
		if errors.Is(err, ErrNoFinding) {
			err = nil
		}
	}
	return text, err
}

// whoShows says which of the builds that were asked show a finding: one may be right while another one still has it.
func whoShows(checks []finding.Check) string {
	var kinds, parts []string
	right, wrong := map[string][]string{}, map[string][]string{} // versions, by the kind of solver
	for _, c := range checks {
		if !slices.Contains(kinds, c.Kind) {
			kinds = append(kinds, c.Kind)
		}
		if c.Hits > 0 {
			wrong[c.Kind] = append(wrong[c.Kind], c.Version)
		} else {
			right[c.Kind] = append(right[c.Kind], c.Version)
		}
	}
	tell := func(kind string, versions, others []string, one, several string) {
		var list []string
		verb := one
		for _, r := range solvers.VersionRanges(versions, others) {
			list = append(list, r.String())
			if r.Count > 1 || len(list) > 1 {
				verb = several
			}
		}
		if list != nil {
			parts = append(parts, kind+" "+strings.Join(list, " and ")+" "+verb)
		}
	}
	for _, kind := range kinds {
		tell(kind, right[kind], wrong[kind], "no longer shows it", "no longer show it")
		tell(kind, wrong[kind], right[kind], "shows it", "show it")
	}
	return strings.Join(parts, ", ")
}

// putCheck stores the result of a check with one build of a solver. It deletes the result stored for the version from
// before builds were distinguished.
func putCheck(tx *sql.Tx, finding int64, c folder.VersionCheck) error {
	hash, doc := "", ""
	if c.Build != nil {
		text, err := json.Marshal(c.Build)
		if err != nil {
			return err
		}
		hash, doc = c.Build.SHA256, string(text)
		if _, err := tx.Exec("DELETE FROM checks WHERE finding = ? AND kind = ? AND version = ? AND build = ''", finding, c.Kind, c.Version); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`INSERT INTO checks (finding, kind, version, build, hits, tries, outcome, time, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (finding, kind, version, build) DO UPDATE SET hits = excluded.hits, tries = excluded.tries, outcome = excluded.outcome,
			time = excluded.time, doc = excluded.doc`,
		finding, c.Kind, c.Version, hash, c.Hits, c.Tries, c.Outcome, stamp(c.Time), doc)
	return err
}

// checksOf returns the results of checks with builds of solvers, the oldest version first, and within a version the
// oldest build first.
func checksOf(q querier, id int64) ([]folder.VersionCheck, error) {
	rows, err := q.Query("SELECT kind, version, hits, tries, outcome, time, doc FROM checks WHERE finding = ?", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []folder.VersionCheck
	for rows.Next() {
		var c folder.VersionCheck
		var at, doc string
		if err := rows.Scan(&c.Kind, &c.Version, &c.Hits, &c.Tries, &c.Outcome, &at, &doc); err != nil {
			return nil, err
		}
		c.Time = parseTime(at)
		if doc != "" {
			if err := json.Unmarshal([]byte(doc), &c.Build); err != nil {
				return nil, err
			}
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b folder.VersionCheck) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), solvers.CompareVersions(a.Version, b.Version), a.Build.Compare(b.Build), a.Time.Compare(b.Time))
	})
	return out, rows.Err()
}

// versionOf names the version that was checked, with its build if other builds of the same version were checked.
func versionOf(c *folder.VersionCheck, all []folder.VersionCheck) string {
	if c.Build != nil && slices.ContainsFunc(all, func(o folder.VersionCheck) bool {
		return o.Kind == c.Kind && o.Version == c.Version && !c.Build.Same(o.Build)
	}) {
		return fmt.Sprintf("%s (build %s)", c.Version, c.Build.Short())
	}
	return c.Version
}

// judgeChecks returns the status that follows from checks with builds of the solver: fixed if the newest checked build
// does not show the finding; regressed if a build shows it that is at least as new as the one in which it was fixed.
// checks are sorted by version and build. A status set by people stays unless the solver contradicts it.
func judgeChecks(status, detail string, checks []folder.VersionCheck) (string, string) {
	newest := &checks[len(checks)-1]
	if newest.Tries == 0 || status == folder.StatusInvalid || status == folder.StatusDup { // no build contradicts these
		return status, detail
	}
	if newest.Hits > 0 {
		switch status {
		case folder.StatusFixed:
			return folder.StatusRegressed, versionOf(newest, checks)
		case folder.StatusRegressed:
			return status, detail
		}
		return folder.StatusOpen, ""
	}
	since := newest
	for i := len(checks) - 1; i >= 0 && checks[i].Kind == newest.Kind && checks[i].Hits == 0; i-- {
		since = &checks[i]
	}
	return folder.StatusFixed, versionOf(since, checks)
}
