package eval

// Truth is a truth value of which there may be nothing known.
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

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

func (t Truth) not() Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Unknown
}
