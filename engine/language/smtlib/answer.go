package smtlib

// Answer is a solver's response to check-sat, or the known facts about it.
type Answer uint8

// The responses of SMT-LIB 2.7, section 4.1.3 (check_sat_response); None means "no answer" or "nothing known".
const (
	None Answer = iota
	Sat
	Unsat
	Unknown
)

var answerNames = [...]string{None: "none", Sat: "sat", Unsat: "unsat", Unknown: "unknown"}

// String returns the response as SMT-LIB spells it, or "none".
func (a Answer) String() string {
	if int(a) < len(answerNames) {
		return answerNames[a]
	}
	return "invalid"
}

// ParseAnswer reads a check-sat response; ok is false for any other text.
func ParseAnswer(s string) (a Answer, ok bool) {
	switch s {
	case "sat":
		return Sat, true
	case "unsat":
		return Unsat, true
	case "unknown":
		return Unknown, true
	}
	return None, false
}

// Decided reports whether the answer is sat or unsat.
func (a Answer) Decided() bool { return a == Sat || a == Unsat }

// Statuses returns the (set-info :status) of each check-sat: the last one before it, which counts for one check-sat
// only. It returns nil if there is no status.
func (s *Script) Statuses() []Answer {
	var out []Answer
	now := None
	any := false
	for i := range s.Commands {
		c := &s.Commands[i]
		switch {
		case c.Kind == CmdSetInfo && c.Name == ":status":
			now, _ = ParseAnswer(c.Text)
			if now == Unknown {
				now = None
			}
		case c.Kind.IsCheck():
			out = append(out, now)
			any = any || now != None
			now = None
		}
	}
	if !any {
		return nil
	}
	return out
}
