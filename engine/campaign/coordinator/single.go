package coordinator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/campaign/wire"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

// askWorker starts one worker, lets it load the campaign, gives it one order, and returns the first report of type R.
// If the case was skipped, the error is a *SkipError.
func askWorker[R wire.Report](ctx context.Context, cfg *Config, o wire.Order) (answer R, err error) {
	if err := cfg.setDefaults(); err != nil {
		return answer, err
	}
	p, err := process.Start(cfg.Command, cfg.Env, cfg.WorkerMemory)
	if err != nil {
		return answer, &campaign.LoadError{Fault: campaign.FaultInternal, Err: err}
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer func() {
		stop()
		p.In.Close()
		// Otherwise, a worker that is still writing would block on a full pipe and never see the end of its orders.
		go func() { _, _ = io.Copy(io.Discard, p.Out) }()
		p.Wait()
	}()
	opts := cfg.Options
	opts.Worker = 1
	if err := wire.WriteOrder(p.In, &wire.Load{Protocol: wire.ProtocolVersion, File: cfg.File, Options: &opts, Files: o == nil, Ship: o == nil && cfg.Ship, Modules: cfg.Options.Change != nil}); err != nil {
		return answer, deathError(ctx, p, cfg.File, "")
	}
	r := bufio.NewReaderSize(p.Out, 64<<10)
	var long []byte
	at := ""
	for {
		line, err := wire.ReadLine(r, &long)
		if err != nil {
			return answer, deathError(ctx, p, cfg.File, at)
		}
		report, err := wire.ParseReport(line)
		if err != nil {
			return answer, &campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("the worker broke its protocol: %w", err)}
		}
		switch report := report.(type) {
		case R:
			return report, nil
		case *wire.ScriptAt:
			at = report.Place
		case *wire.Printed:
			cfg.Print(LinePrint, report.Text)
		case *wire.Failed:
			return answer, &campaign.LoadError{Fault: report.Fault, Err: errors.New(report.Text)}
		case *wire.CaseFailed:
			return answer, &campaign.LoadError{Fault: report.Fault, Err: errors.New(report.Text)}
		case *wire.CaseSkipped:
			return answer, &campaign.SkipError{Reason: report.Reason}
		case *wire.CaseStopped:
			return answer, &campaign.SkipError{Reason: "the campaign file stops here: " + report.Reason}
		case *wire.Loaded:
			if cfg.OnPlan != nil {
				cfg.OnPlan(report.Plan)
			}
			// Only the plan says whether the file is a campaign or replays a finding, and there is no plan until the
			// worker has loaded the file.
			if err := checkOrder(report.Plan, o); err != nil {
				return answer, err
			}
			if err := wire.WriteOrder(p.In, o); err != nil {
				return answer, deathError(ctx, p, cfg.File, at)
			}
		}
	}
}

// checkOrder returns an error if an order does not fit the plan.
func checkOrder(p *finding.Plan, o wire.Order) error {
	_, reproduces := o.(*wire.Reproduce)
	switch {
	case reproduces && p.Reproductions == 0:
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("%s is a campaign, there is nothing to reproduce in it; run it: smtlark run %s", p.File, p.File)}
	case !reproduces && p.Technique == "":
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("%s replays a finding and is no campaign; replay it: smtlark repro %s", p.File, p.File)}
	}
	return nil
}

// deathError returns the error for a worker that died, or that of ctx.
func deathError(ctx context.Context, p *process.Process, file, at string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("the worker died with %s: %s", file, finding.Clip(whyAt(p.Wait(), at), 2000))}
}

// Inspect lets one worker load a campaign. It returns the plan, the builds of the targets and the campaign's files, and
// the solvers if they are to be sent to other machines.
func Inspect(ctx context.Context, cfg Config) (*wire.Loaded, error) {
	loaded, err := askWorker[*wire.Loaded](ctx, &cfg, nil)
	if err != nil {
		return nil, err
	}
	if err := checkOrder(loaded.Plan, &wire.MakeCases{}); err != nil {
		return nil, err
	}
	loaded.Plan.IdentifyBuilds()
	return loaded, nil
}

// Show makes one case of a campaign without running it. The error is a *SkipError when there is no such case.
func Show(ctx context.Context, cfg Config, n uint64) (*testcase.Wire, error) {
	rep, err := askWorker[*wire.Shown](ctx, &cfg, &wire.Show{Job: 1, N: n})
	if err != nil {
		return nil, err
	}
	return rep.Case, nil
}

// Reproduce runs each reproduction of a repro.star several times, in new processes.
func Reproduce(ctx context.Context, cfg Config, times int) ([]finding.Replay, error) {
	rep, err := askWorker[*wire.Reproduced](ctx, &cfg, &wire.Reproduce{Job: 1, Times: times})
	if err != nil {
		return nil, err
	}
	if rep.Error != "" {
		return nil, &campaign.LoadError{Fault: rep.Fault, Err: errors.New(rep.Error)}
	}
	return rep.Replays, nil
}
