package solvers

import "fmt"

// Class says how a run ended. Classes have no order: compare them only for equality.
type Class uint8

// The classes of a run. The zero value is never the class of a finished run.
const (
	Invalid      Class = iota
	OK                 // every command got a reply (an error in reply to a get- command counts as one)
	Crash              // died by a fault signal, an uncaught exception, or a sanitizer's report
	Assertion          // an internal check of the solver failed (assert, unreachable code, "Fatal failure")
	Refusal            // understood the input and declined: logic, option or state not accepted
	Unsupported        // said that a command or operator is not supported
	ParseError         // rejected the input as ill-formed or ill-sorted
	SolverError        // reported an error that no pattern of the profile explains
	Timeout            // exceeded the wall or CPU limit, or its own time limit
	OutOfMemory        // exceeded the memory limit, or said so
	OutputLimit        // wrote more than the output limit
	Garbage            // replies that are no SMT-LIB replies, broken framing, or an end without the answers due
	StartFailure       // could not be started, or died before it read anything
	Killed             // killed from outside (SIGKILL, SIGTERM, ... that smtlark did not send)
	Cancelled          // the run's context was cancelled
)

var classNames = [...]string{
	Invalid: "invalid", OK: "ok", Crash: "crash", Assertion: "assertion", Refusal: "refusal", Unsupported: "unsupported",
	ParseError: "parse-error", SolverError: "error", Timeout: "timeout", OutOfMemory: "out-of-memory",
	OutputLimit: "output-limit", Garbage: "garbage", StartFailure: "start-failure", Killed: "killed",
	Cancelled: "cancelled",
}

// String returns the name used in files, statistics and scripts, such as "parse-error".
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// ParseClass reads a name that String returns; ok is false for any other text and for "invalid".
func ParseClass(name string) (c Class, ok bool) {
	for i, n := range classNames {
		if n == name && Class(i) != Invalid {
			return Class(i), true
		}
	}
	return Invalid, false
}

// Classes returns all classes of finished runs, for tables and documentation.
func Classes() []Class {
	all := make([]Class, 0, len(classNames)-1)
	for i := 1; i < len(classNames); i++ {
		all = append(all, Class(i))
	}
	return all
}

// IsBug reports whether the class alone shows a defect of the solver. All other classes are statistics: a refusal, an
// exceeded limit or an unsupported feature is never a bug, and wrong answers are detected by oracles.
func (c Class) IsBug() bool { return c == Crash || c == Assertion }

// IsRefused reports whether the solver said that it does not accept the input, whether the input or the solver is at
// fault.
func (c Class) IsRefused() bool {
	return c == Refusal || c == Unsupported || c == ParseError || c == SolverError
}

// MarshalText writes the class by name.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a class by name.
func (c *Class) UnmarshalText(text []byte) error {
	v, ok := ParseClass(string(text))
	if !ok {
		return fmt.Errorf("solvers: %q is not a class of runs", text)
	}
	*c = v
	return nil
}
