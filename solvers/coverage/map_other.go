//go:build !linux

package coverage

// Map is the shared memory in which instrumented programs count their edges. There is none on this system.
type Map struct{}

// NewMap returns ErrUnavailable.
func NewMap(int) (*Map, error) { return nil, ErrUnavailable }

// Environ returns nothing.
func (*Map) Environ() []string { return nil }

// Size is 0.
func (*Map) Size() int { return 0 }

// Clear does nothing.
func (*Map) Clear() {}

// Take does nothing.
func (*Map) Take(*Taken) {}

// Close does nothing.
func (*Map) Close() error { return nil }
