package system

import (
	"errors"
	"os"
	"sync/atomic"
)

// SharedNumber is a number in memory that a process shares with one that it starts; there is none here, since processes
// inherit no files beyond the standard ones.
type SharedNumber struct{}

// NewSharedNumber returns errors.ErrUnsupported.
func NewSharedNumber() (*SharedNumber, *os.File, error) { return nil, nil, errors.ErrUnsupported }

// OpenSharedNumber returns errors.ErrUnsupported.
func OpenSharedNumber(*os.File) (*SharedNumber, error) { return nil, errors.ErrUnsupported }

// Value is nil.
func (s *SharedNumber) Value() *atomic.Uint64 { return nil }

// Close does nothing.
func (s *SharedNumber) Close() error { return nil }
