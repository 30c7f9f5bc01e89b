package finding

// Sequence has the queries that a process gets ahead of a case, in the modes that keep one process for many cases. The
// mode decides on the commands between them, such as (reset).
type Sequence struct {
	// Before are other cases, as text, the oldest first.
	Before []string `json:"before,omitempty"`
	// Repeat is the number of times that the case itself runs after these cases and before the run that counts.
	Repeat int `json:"repeat,omitempty"`
	// AtOnce says that the process is given all of it in one input, as a shell does, and not piece by piece: that is the
	// only way in which the finding shows.
	AtOnce bool `json:"at_once,omitempty"`
}

// Len is the number of cases ahead.
func (s *Sequence) Len() int { return len(s.Before) + s.Repeat }
