package value

import (
	"errors"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// ErrUnknown is wrapped by every error of an evaluation: the value is not known.
var ErrUnknown = errors.New("unknown")

// Reason says why a value is not known. It wraps ErrUnknown.
type Reason struct {
	Op   string   // the operator that could not be evaluated, as SMT-LIB spells it; may be empty
	Why  string   // the missing value or exceeded limit
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

// NoValue returns the value that is not known, of the operator op, because of why.
func NoValue(op, why string) Value {
	return NoValueFor(&Reason{Op: op, Why: why})
}

// NoValueInModel is NoValue where the model lacks an interpretation, so that another model may know the value.
func NoValueInModel(op, why string) Value {
	return NoValueFor(&Reason{Op: op, Why: why, Missing: true})
}

// NoValueFor returns the value that is unknown for the reason.
func NoValueFor(r *Reason) Value { return Value{kind: KindUnknown, ref: r} }

// TooLarge is NoValue where computing the value would go beyond a limit.
func TooLarge(op, what string) Value { return NoValue(op, "too large: "+what) }

// Err returns nil for a value, and otherwise the reason why there is none.
func (v Value) Err() error {
	switch v.kind {
	case KindNone:
		return &Reason{Why: "no value"}
	case KindUnknown:
		return v.ref.(*Reason)
	}
	return nil
}
