//go:build !linux

package process

import (
	"context"

	"github.com/smtlark/smtlark/solvers/coverage"
	"github.com/smtlark/smtlark/solvers/coverage/source"
)

// AwaitModules finds none here.
func AwaitModules(context.Context, int, string, func() bool) ([]source.Module, error) {
	return nil, coverage.ErrUnavailable
}
