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
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/testcase"
)

// ask starts one worker, lets it load the campaign, gives it one order, and returns the first report of the given type.
// A skip of the case is a *SkipError.
func ask(ctx context.Context, cfg *Config, o *wire.Order, want string) (*wire.Report, *finding.Plan, error) {
	if err := cfg.fill(); err != nil {
		return nil, nil, err
	}
	p, err := process.Start(cfg.Command, cfg.Env, cfg.WorkerMemory)
	if err != nil {
		return nil, nil, &campaign.LoadError{Fault: campaign.FaultInternal, Err: err}
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer func() {
		stop()
		p.In.Close()
		go func() { _, _ = io.Copy(io.Discard, p.Out) }()
		p.Wait()
	}()
	opts := cfg.Options
	opts.Worker = 1
	if err := wire.WriteOrder(p.In, &wire.Order{Type: wire.OrderHello, Protocol: wire.ProtocolVersion, File: cfg.File, Options: &opts}); err != nil {
		return nil, nil, died(ctx, p, cfg.File, "")
	}
	var plan *finding.Plan
	r := bufio.NewReaderSize(p.Out, 64<<10)
	var long []byte
	at := ""
	for {
		line, err := wire.ReadLine(r, &long)
		if err != nil {
			return nil, plan, died(ctx, p, cfg.File, at)
		}
		rep, err := wire.ParseReport(line)
		if err != nil {
			return nil, plan, &campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("the worker broke its protocol: %w", err)}
		}
		switch rep.Type {
		case want:
			return rep, plan, nil
		case wire.ReportAt:
			at = rep.Text
		case wire.ReportPrint:
			cfg.Print(LinePrint, rep.Text)
		case wire.ReportFailed, wire.ReportError:
			return nil, plan, &campaign.LoadError{Fault: rep.Fault, Err: errors.New(rep.Text)}
		case wire.ReportSkip:
			return nil, plan, &campaign.SkipError{Reason: rep.Text}
		case wire.ReportStop:
			return nil, plan, &campaign.SkipError{Reason: "the campaign file stops here: " + rep.Text}
		case wire.ReportPlan:
			plan = rep.Plan
			if cfg.OnPlan != nil {
				cfg.OnPlan(plan)
			}
			if err := fits(plan, o); err != nil {
				return nil, plan, err
			}
			if err := wire.WriteOrder(p.In, o); err != nil {
				return nil, plan, died(ctx, p, cfg.File, at)
			}
		}
	}
}

// fits reports an order that a plan has no use for.
func fits(p *finding.Plan, o *wire.Order) error {
	switch {
	case o.Type == wire.OrderReproduce && p.Reproductions == 0:
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("%s is a campaign, there is nothing to reproduce in it; run it: smtlark run %s", p.File, p.File)}
	case o.Type != wire.OrderReproduce && p.Technique == "":
		return &campaign.LoadError{Fault: campaign.FaultUsage, Err: fmt.Errorf("%s replays a finding and is no campaign; replay it: smtlark repro %s", p.File, p.File)}
	}
	return nil
}

// died explains the end of a worker.
func died(ctx context.Context, p *process.Process, file, at string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &campaign.LoadError{Fault: campaign.FaultInternal, Err: fmt.Errorf("the worker died with %s: %s", file, finding.Clip(whyAt(p.Wait(), at), 2000))}
}

// Show makes one case of a campaign without running it. The error is a *SkipError when there is no such case.
func Show(ctx context.Context, cfg Config, n uint64) (*testcase.Wire, error) {
	rep, _, err := ask(ctx, &cfg, &wire.Order{Type: wire.OrderShow, Job: 1, From: n}, wire.ReportShown)
	if err != nil {
		return nil, err
	}
	return rep.Case, nil
}

// Reproduce replays a repro.star, each of its reproductions several times in new processes.
func Reproduce(ctx context.Context, cfg Config, times int) ([]finding.Replay, error) {
	rep, _, err := ask(ctx, &cfg, &wire.Order{Type: wire.OrderReproduce, Job: 1, Times: times}, wire.ReportReproduced)
	if err != nil {
		return nil, err
	}
	if rep.Text != "" {
		return nil, &campaign.LoadError{Fault: rep.Fault, Err: errors.New(rep.Text)}
	}
	return rep.Replays, nil
}
