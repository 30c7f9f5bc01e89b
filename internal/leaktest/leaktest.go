// Package leaktest fails the tests of a package that leave goroutines behind: who starts one ends it before what it
// uses is closed.
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
		// nats.go starts it when something is first published, and loses sight of it where the connection is closed just
		// then.
		goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}
