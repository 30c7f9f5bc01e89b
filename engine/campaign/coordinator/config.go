package coordinator

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/finding"
)

// Config says how to run a campaign.
type Config struct {
	File    string
	Options finding.Options
	// Command is the argument vector of a worker process, Env what is added to its environment.
	Command []string
	Env     []string
	Workers int // processes; 0 means one a core
	Store   finding.Store
	Log     Log
	// Resume is where an earlier run of the same campaign ended; nil: begin with the first case.
	Resume *finding.Progress
	// Stop has the conditions of flags; they win over the campaign file.
	Stop finding.Stop
	// Case, when set, is the only case to run; Report.Details then has what each target did.
	Case *uint64
	// KeepGoing counts errors of the campaign file while it makes cases; without it the first one ends the campaign.
	KeepGoing bool
	// Watchdog is how long a worker may take for one case beyond the time limits of its runs; 0 means 60 s.
	Watchdog time.Duration
	// WorkerMemory bounds the resident memory of a worker in bytes; 0 means 2 GiB.
	WorkerMemory int64
	// LoadTime bounds how long a worker may take to load the campaign; 0 means 10 minutes.
	LoadTime time.Duration
	// Drain bounds confirming and reducing after the end of a campaign; 0 means 30 s, of which an interrupted one gets a third.
	// One that ended by itself may take ten times as long. Stop.After bounds all of it.
	Drain time.Duration
	// Print receives lines for the user: what the campaign file prints, findings, warnings. It may be nil.
	Print func(kind Line, text string)
	// Rescue is given a finding that could not be stored. It may be nil.
	Rescue func(*finding.Finding, error)
	// OnCase, for tests, is told each case with its hash.
	OnCase func(n uint64, hash string)
	// OnPlan is told the plan when the first worker has loaded the campaign. It may be nil.
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
	LineDetail              // what was asked for: the runs of a single case
)

func (c *Config) setDefaults() error {
	if len(c.Command) == 0 {
		return errors.New("campaign: no command for workers")
	}
	if c.Workers == 0 {
		c.Workers = runtime.NumCPU()
	}
	if c.Workers < 1 || c.Workers > 4096 {
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("%d workers; want 1 to 4096", c.Workers)}
	}
	if c.Watchdog == 0 {
		c.Watchdog = time.Minute
	}
	if c.LoadTime == 0 {
		c.LoadTime = 10 * time.Minute
	}
	if c.WorkerMemory == 0 {
		c.WorkerMemory = 2 << 30
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
