// Package account accounts for the CPU time of a campaign: that of its own processes and of every solver that they
// start, by purpose. A Ledger is the account of one process, whose purpose changes now and then; Books add up the
// ledgers of all processes and compare the sum with the CPU time that the system reports for the whole tree, so that
// nothing is left out.
package account

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/process"
)

// Purpose names a use of CPU time.
type Purpose string

// The purposes. Time that is spent within one of them counts for that one, but Cases and Loading give way to any other.
const (
	Loading      Purpose = "loading"      // the campaign file, and finding solvers and their versions
	Cases        Purpose = "cases"        // making and judging cases; the targets that run them
	Models       Purpose = "models"       // models and cores of seeds
	Options      Purpose = "options"      // learning what solvers take, and which options
	Questions    Purpose = "questions"    // what techniques and oracles ask solvers beside that
	Confirmation Purpose = "confirmation" // trying verdicts again
	Reduction    Purpose = "reduction"    // making findings smaller
	Recheck      Purpose = "recheck"      // looking at findings of earlier runs again
	Other        Purpose = "other"
)

// Purposes lists them in the order in which they are shown.
var Purposes = []Purpose{Cases, Models, Options, Questions, Confirmation, Reduction, Recheck, Loading, Other}

// spentTime is CPU time.
type spentTime struct {
	Engine  time.Duration `json:"engine"`  // of smtlark's own process
	Solvers time.Duration `json:"solvers"` // of all its children
	Times   uint64        `json:"times"`   // how often something was begun for the purpose
}

func (s *spentTime) add(o spentTime) {
	s.Engine += o.Engine
	s.Solvers += o.Solvers
	s.Times += o.Times
}

// Account has the time spent, by purpose.
type Account map[Purpose]spentTime

// Ledger is the account of this process. Its methods may be called by any goroutine. The process has one purpose at a
// time.
type Ledger struct {
	mu       sync.Mutex
	spent    Account
	purpose  Purpose
	what     string // in words: the current activity for the purpose
	own      time.Duration
	children time.Duration
}

// NewLedger begins a ledger; all CPU time that this process has used so far counts as Other.
func NewLedger() *Ledger { return &Ledger{spent: Account{}, purpose: Other} }

// settle books the time spent since the last time. The clocks of processes that are about to end may stand still, but a
// booked amount never decreases.
func (l *Ledger) settle() {
	own, children := system.CPUTime(), process.ChildrenCPU()
	s := l.spent[l.purpose]
	if d := own - l.own; d > 0 {
		s.Engine, l.own = s.Engine+d, own
	}
	if d := children - l.children; d > 0 {
		s.Solvers, l.children = s.Solvers+d, children
	}
	l.spent[l.purpose] = s
}

// Begin says that from now on time is spent for a purpose. The returned function goes back to the previous purpose.
func (l *Ledger) Begin(p Purpose, what string) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle()
	before, said := l.purpose, l.what
	if before == Cases || before == Loading || before == Other { // the others are for one thing as a whole
		l.purpose = p
		s := l.spent[p]
		s.Times++
		l.spent[p] = s
	}
	l.what = what
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.settle()
		l.purpose, l.what = before, said
	}
}

// Say names the present activity, such as the solver that is asked. It costs almost nothing.
func (l *Ledger) Say(what string) {
	l.mu.Lock()
	l.what = what
	l.mu.Unlock()
}

// Next names the next activity, and counts it.
func (l *Ledger) Next(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.spent[l.purpose]
	s.Times++
	l.spent[l.purpose] = s
	l.what = what
}

// Read returns the account so far, the present activity and its purpose.
func (l *Ledger) Read() (a Account, p Purpose, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle()
	return maps.Clone(l.spent), l.purpose, l.what
}

type key struct{}

// With returns a context whose Begin books in the ledger.
func With(ctx context.Context, l *Ledger) context.Context { return context.WithValue(ctx, key{}, l) }

type pauseKey struct{}

// WithPause returns a context whose Begin calls pause when smtlark starts to ask solvers which features they support,
// and calls the function returned by pause when this is over. Solvers are asked once for each build, so this time must
// not count for the script that happened to be the first.
func WithPause(ctx context.Context, pause func() (resume func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// Say is Ledger.Say for the ledger of a context.
func Say(ctx context.Context, what string) {
	if l, _ := ctx.Value(key{}).(*Ledger); l != nil {
		l.Say(what)
	}
}

// Next is Ledger.Next for the ledger of a context.
func Next(ctx context.Context, what string) {
	if l, _ := ctx.Value(key{}).(*Ledger); l != nil {
		l.Next(what)
	}
}

// Begin is Ledger.Begin for the ledger of a context; without one nothing is booked.
func Begin(ctx context.Context, p Purpose, what string) (end func()) {
	book, resume := func() {}, func() {}
	if pause, _ := ctx.Value(pauseKey{}).(func() func()); pause != nil && p == Options {
		resume = pause()
	}
	if l, _ := ctx.Value(key{}).(*Ledger); l != nil {
		book = l.Begin(p, what)
	}
	return func() {
		book()
		resume()
	}
}
