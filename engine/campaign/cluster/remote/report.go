package remote

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/cluster"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// Report passes on how the campaign is; it costs next to nothing.
func (d *Workers) Report(s *metrics.Stats) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.status = cluster.Status{
		Campaign: d.entry.Campaign, Name: d.entry.Name, Seed: s.Seed, State: s.State, Machine: d.machine, Elapsed: s.Elapsed, Cases: s.Cases, Rate: s.Rate,
		New: s.Findings.New, Known: s.Findings.Known, Waiting: s.Findings.Pending + s.Findings.Reducing,
	}
	if d.paused {
		d.status.State += ", paused"
	}
}

// Machines implements coordinator.RemoteWorkers: those of one name are one.
func (d *Workers) Machines() []metrics.MachineStats {
	all := d.Members()
	slices.SortFunc(all, func(a, b cluster.Presence) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Member, b.Member))
	})
	var out []metrics.MachineStats
	for _, p := range all {
		if len(out) == 0 || out[len(out)-1].Name != p.Machine {
			out = append(out, metrics.MachineStats{Name: p.Machine, Labels: p.Labels})
		}
		m := &out[len(out)-1]
		m.Workers += p.Slots
		m.Note = cmp.Or(m.Note, p.Refused, p.Note)
	}
	return out
}

// talk publishes the state of the campaign to users of the cluster, and receives their requests.
func (d *Workers) talk(board *cluster.Board) {
	for {
		select {
		case <-d.ctx.Done():
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = board.Forget(ctx, d.entry.Campaign) // else it is forgotten soon
			cancel()
			close(d.talked)
			return
		case <-time.After(cluster.StatusEvery):
		}
		d.mu.Lock()
		s := d.status
		d.mu.Unlock()
		s.Members = d.Members()
		ctx, cancel := context.WithTimeout(d.ctx, cluster.StatusEvery)
		if s.Campaign != "" {
			_ = board.Say(ctx, &s) // the next one comes soon
		}
		wanted, err := board.Wanted(ctx, d.entry.Campaign)
		cancel()
		if err != nil {
			continue
		}
		d.mu.Lock()
		d.paused = wanted.Paused
		d.mu.Unlock()
		if wanted.Drain {
			d.drain()
		}
	}
}
