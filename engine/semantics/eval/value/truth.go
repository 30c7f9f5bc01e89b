package value

// Truth is a truth value that may be unknown.
type Truth uint8

// The truth values.
const (
	Unknown Truth = iota
	False
	True
)

var truthNames = [...]string{"unknown", "false", "true"}

// String returns true, false or unknown.
func (t Truth) String() string { return truthNames[t] }

// TruthOf returns True or False.
func TruthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Not returns the negation; that of Unknown is Unknown.
func (t Truth) Not() Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Unknown
}

// Both returns the conjunction of Kleene's logic.
func Both(x, y Truth) Truth {
	switch {
	case x == False || y == False:
		return False
	case x == Unknown || y == Unknown:
		return Unknown
	}
	return True
}
