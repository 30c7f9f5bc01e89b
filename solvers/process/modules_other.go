//go:build !linux

package process

import (
	"context"

	"github.com/smtlark/smtlark/solvers/coverage"
)

// AwaitModules is not available on this system.
func AwaitModules(context.Context, int, string, func() bool) ([]coverage.Module, error) {
	return nil, coverage.ErrUnavailable
}
