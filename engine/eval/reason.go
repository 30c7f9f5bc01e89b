package eval

import (
	"errors"

	"github.com/smtlark/smtlark/engine/smt"
)

// ErrUnknown is what every error of an evaluation wraps: the value is not known.
var ErrUnknown = errors.New("unknown")

// Reason says why a value is not known. It wraps ErrUnknown.
type Reason struct {
	Op   string   // the operator that could not be evaluated, as SMT-LIB spells it; may be empty
	Why  string   // what is missing or too large
	Term smt.Term // the term at fault, 0 if it is none
	// Missing is set where the model lacks an interpretation, so that another, larger model may know the value.
	Missing bool
}

// Error returns "operator: why".
func (r *Reason) Error() string {
	if r.Op == "" {
		return r.Why
	}
	return r.Op + ": " + r.Why
}

// Unwrap returns ErrUnknown.
func (r *Reason) Unwrap() error { return ErrUnknown }

func unknown(op, why string) Value {
	return Value{kind: kUnknown, ref: &Reason{Op: op, Why: why}}
}

func missing(op, why string) Value {
	return Value{kind: kUnknown, ref: &Reason{Op: op, Why: why, Missing: true}}
}

func tooLarge(op, what string) Value { return unknown(op, "too large: "+what) }

// Err returns nil for a value, and otherwise the reason why there is none.
func (v Value) Err() error {
	switch v.kind {
	case kNone:
		return &Reason{Why: "no value"}
	case kUnknown:
		return v.ref.(*Reason)
	}
	return nil
}
