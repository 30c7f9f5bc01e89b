package finding

// Store keeps findings. Its methods are called by one goroutine; other processes may use the same store at the same
// time. An error means that the disk is full or not writable: the campaign then ends.
type Store interface {
	// Known returns the stored findings; a verdict with a known signature is counted, not stored again.
	Known() ([]*Finding, error)
	// Save stores a finding and sets its Number and Dir. When another campaign has stored its signature meanwhile, f
	// becomes that finding, with Known set.
	Save(f *Finding) error
	// Update stores the changed parts of a saved finding: its reduced case, its signature and its examples. For a Known
	// finding, Count is the number that this campaign adds. A store that is no Keeper stores the count, too.
	Update(f *Finding) error
}

// Keeper is a Store that also keeps the state from which a campaign resumes after it was killed at any moment.
type Keeper interface {
	// Hold remembers a verdict that is not settled yet: neither saved nor counted.
	Hold(f *Finding) error
	// Recall restores the parts of a held finding that SetAside removed. It can do so only if Recalls reports true:
	// another process may keep the progress.
	Recall(f *Finding) error
	Recalls() bool
	// Held returns the findings that an earlier run of the same campaign held and did not release. Count is the number
	// of verdicts that were booked for it: 0 if the case is made again.
	Held() ([]*Finding, error)
	// Checkpoint stores atomically which cases are done, how many verdicts they gave, and which held verdicts are
	// settled. The number of verdicts is Count less Booked of saved or held findings; it is added to the store's count,
	// to which others may add, too. It sets Booked.
	Checkpoint(p Progress, counted, settled []*Finding) error
	// InVain returns, by the key of the signature, how often histories of flaky findings were replayed without success.
	InVain() (map[string]int, error)
	// Again returns the stored findings that are worth another look, complete: all but those set aside by people.
	Again() ([]*Finding, error)
	// Checked records the result of checking a finding of Again once more. If the result changed the finding's status,
	// text describes the change in a line.
	Checked(f *Finding, checks []Check) (text string, err error)
}

// Merger is a Store that counts a finding as a duplicate of another one, and keeps both. It does not do so if people
// have set the status of the finding.
type Merger interface {
	Join(to, from *Finding, reason string) (joined bool, err error)
}

// Progress says which cases of a campaign are done: those below Next without those of Open.
type Progress struct {
	Next uint64
	Open [][2]uint64 // ranges from..to-1, not done
	// Modes is the state from which the shares of modes follow, see mixture.Bandit.State; nil: none.
	Modes []byte
}

// First is the first case that is not done.
func (p *Progress) First() uint64 {
	if len(p.Open) > 0 {
		return p.Open[0][0]
	}
	return p.Next
}
