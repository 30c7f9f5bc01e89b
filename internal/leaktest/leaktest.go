// Package leaktest makes the tests of a package fail if they leave goroutines behind. Each goroutine must be ended
// before the resources that it uses are closed.
package leaktest

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/smtlark/smtlark/solvers/confine"
)

// Main runs the tests of a package, for its TestMain, and ends the process.
func Main(m *testing.M) {
	_ = confine.Free().Do(func() {}) // its thread lasts as long as the process
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent(),
		// It serves all scripts of the process, and ends a second after the last.
		goleak.IgnoreTopFunction("github.com/smtlark/smtlark/starlark.(*watcher).run"),
		// nats.go starts it at the first publication, and does not end it if the connection is closed at that moment.
		goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}
