package coordinator

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// Config says how to run a campaign.
type Config struct {
	File    string
	Options finding.Inputs
	// Command is the argument vector of a worker process. Env is added to its environment.
	Command []string
	Env     []string
	Workers int // processes on this machine; 0 means one per core, or none if there are remote workers
	// Remote are the workers of machines that have joined; nil: none. If it is set, Loaded must be the result of
	// Inspect.
	Remote RemoteWorkers
	Ship   bool // Inspect also lists the solvers
	Loaded *wire.Loaded
	Store  finding.Store
	Log    Log
	// Resume is the progress of an earlier run of the same campaign. If it is nil, the run begins with the first case.
	Resume *finding.Progress
	// Corpus is the folder for cases that become seeds. If it is "", they are not kept.
	Corpus string
	// Stop has the stop conditions given by flags. They override those of the campaign file.
	Stop finding.Stop
	// Case, when set, is the only case to run. Report.Details then has the behavior of each target.
	Case *uint64
	// Settle makes a run without new cases: it confirms, reduces and rechecks the findings of earlier runs until
	// Stop.After.
	Settle bool
	// KeepGoing lets the campaign continue after errors in the campaign file while it makes cases: they are only
	// counted. Without it, the first error ends the campaign.
	KeepGoing bool
	// Watchdog is the time a worker may take for one case beyond the time limits of its runs; 0 means 60 s.
	Watchdog time.Duration
	// WorkerMemory bounds the resident memory of a worker in bytes; 0 means 2 GiB.
	WorkerMemory int64
	// LoadTime bounds how long a worker may take to load the campaign; 0 means 10 minutes.
	LoadTime time.Duration
	// Drain bounds the time for confirming and reducing after the end of a campaign; 0 means 30 s. An interrupted
	// campaign gets a third of Drain. A campaign that ended by itself may take ten times Drain. Stop.After bounds the
	// total time.
	Drain time.Duration
	// Print receives lines for the user: what the campaign file prints, findings, warnings. It may be nil.
	Print func(kind Line, text string)
	// Rescue is given a finding that could not be stored. It may be nil.
	Rescue func(*finding.Finding, error)
	// OnFinding is called once for each new finding of a solver under test, when its folder has the smallest case:
	// after the reduction, or at the end of the campaign if there is none. It may be nil.
	OnFinding func(*finding.Finding)
	// OnCase, for tests, is called with each case and its hash.
	OnCase func(n uint64, hash string)
	// OnPlan is called with the plan when the first worker has loaded the campaign. It may be nil.
	OnPlan func(*finding.Plan)
	// Publish receives a copy of the statistics several times a second, from the goroutine of Run. It may be nil.
	Publish func(*metrics.Stats)
}

// Line is the kind of a line for the user.
type Line uint8

// Kinds of lines.
const (
	LinePrint   Line = iota // print() of the campaign file
	LineFinding             // a new finding
	LineWarning             // something went wrong and the campaign goes on
	LineDetail              // output that the user requested: the runs of a single case
)

// Default bounds for workers: the resident memory in bytes, and the time for loading a campaign.
const (
	WorkerMemory = 2 << 30
	LoadTime     = 10 * time.Minute
)

// capacity returns the number of jobs that can be done at the same time.
func (c *Config) capacity() int {
	n := c.Workers
	if c.Remote != nil {
		n += c.Remote.Slots()
	}
	return n
}

// jobTime returns the desired duration of a job of cases.
func (c *Config) jobTime() time.Duration {
	if c.Remote != nil && c.Workers == 0 {
		return awayJobTime
	}
	return jobTime
}

func (c *Config) setDefaults() error {
	if len(c.Command) == 0 {
		return errors.New("campaign: no command for workers")
	}
	if c.Workers == 0 && c.Remote == nil {
		c.Workers = runtime.NumCPU()
	}
	if c.Workers < 1 && c.Remote == nil || c.Workers > 4096 {
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("%d workers; want 1 to 4096", c.Workers)}
	}
	if c.Watchdog == 0 {
		c.Watchdog = time.Minute
	}
	if c.LoadTime == 0 {
		c.LoadTime = LoadTime
	}
	if c.WorkerMemory == 0 {
		c.WorkerMemory = WorkerMemory
	}
	if c.Drain == 0 {
		c.Drain = 30 * time.Second
	}
	if c.Log == nil {
		c.Log = noLog{}
	}
	if c.Print == nil {
		c.Print = func(Line, string) {}
	}
	if c.Publish == nil {
		c.Publish = func(*metrics.Stats) {}
	}
	if c.Case != nil {
		c.Workers = 1
	}
	return nil
}
