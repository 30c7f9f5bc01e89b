package account

import (
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/process"
)

// Books add up the CPU time of the processes of a campaign. They belong to one goroutine of the coordinator.
type Books struct {
	own, children time.Duration // of the coordinator when the books were opened
	living        map[int]Account
	ended         Account
}

// Open opens the books of a campaign that this process coordinates.
func Open() *Books {
	return &Books{own: system.CPUTime(), children: process.ChildrenCPU(), living: map[int]Account{}, ended: Account{}}
}

// Told records the account of a worker: all CPU time that it has used so far.
func (b *Books) Told(worker int, a Account) {
	if a != nil {
		b.living[worker] = a
	}
}

// Ended records that a worker has ended and was waited for.
func (b *Books) Ended(worker int) {
	for p, s := range b.living[worker] {
		t := b.ended[p]
		t.add(s)
		b.ended[p] = t
	}
	delete(b.living, worker)
}

// Total is the CPU time that a campaign has spent.
type Total struct {
	Account                   // of the workers
	Coordinator time.Duration // of the coordinator without its workers
	// Lost is the time of workers and solvers that died before they reported its purpose.
	Lost time.Duration
}

// Sum returns the CPU time that the campaign has spent so far.
func (b *Books) Sum() Total {
	t := Total{Account: Account{}, Coordinator: system.CPUTime() - b.own}
	told := time.Duration(0)
	for p, s := range b.ended {
		t.Account[p] = s
		told += s.Engine + s.Solvers
	}
	if lost := process.ChildrenCPU() - b.children - told; lost > 0 {
		t.Lost = lost
	}
	for _, a := range b.living {
		for p, s := range a {
			all := t.Account[p]
			all.add(s)
			t.Account[p] = all
		}
	}
	return t
}

// Engine is the CPU time of the campaign's own processes.
func (t *Total) Engine() time.Duration {
	d := t.Coordinator
	for _, s := range t.Account {
		d += s.Engine
	}
	return d
}

// All is the CPU time of all processes.
func (t *Total) All() time.Duration {
	d := t.Coordinator + t.Lost
	for _, s := range t.Account {
		d += s.Engine + s.Solvers
	}
	return d
}
