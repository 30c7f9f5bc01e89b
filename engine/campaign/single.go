package campaign

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/testcase"
)

// ask starts one worker, lets it load the campaign, gives it one order, and returns the first report of the given type.
// A skip of the case is a *SkipError.
func ask(ctx context.Context, cfg *Config, o *order, want string) (*report, *finding.Plan, error) {
	if err := cfg.fill(); err != nil {
		return nil, nil, err
	}
	p, err := process.Start(cfg.Command, cfg.Env, cfg.WorkerMemory)
	if err != nil {
		return nil, nil, &LoadError{FaultInternal, err}
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
	if err := writeOrder(p.In, &order{Type: orderHello, Protocol: protocolVersion, File: cfg.File, Options: &opts}); err != nil {
		return nil, nil, died(ctx, p, cfg.File, "")
	}
	var plan *finding.Plan
	r := bufio.NewReaderSize(p.Out, 64<<10)
	var long []byte
	at := ""
	for {
		line, err := readLine(r, &long)
		if err != nil {
			return nil, plan, died(ctx, p, cfg.File, at)
		}
		rep, err := parseReport(line)
		if err != nil {
			return nil, plan, &LoadError{FaultInternal, fmt.Errorf("the worker broke its protocol: %w", err)}
		}
		switch rep.Type {
		case want:
			return rep, plan, nil
		case reportAt:
			at = rep.Text
		case reportPrint:
			cfg.Print(LinePrint, rep.Text)
		case reportFailed, reportError:
			return nil, plan, &LoadError{rep.Fault, errors.New(rep.Text)}
		case reportSkip:
			return nil, plan, &SkipError{Reason: rep.Text}
		case reportStop:
			return nil, plan, &SkipError{Reason: "the campaign file stops here: " + rep.Text}
		case reportPlan:
			plan = rep.Plan
			if cfg.OnPlan != nil {
				cfg.OnPlan(plan)
			}
			if err := fits(plan, o); err != nil {
				return nil, plan, err
			}
			if err := writeOrder(p.In, o); err != nil {
				return nil, plan, died(ctx, p, cfg.File, at)
			}
		}
	}
}

// fits reports an order that a plan has no use for.
func fits(p *finding.Plan, o *order) error {
	switch {
	case o.Type == orderReproduce && p.Reproductions == 0:
		return &LoadError{FaultUsage, fmt.Errorf("%s is a campaign, there is nothing to reproduce in it; run it: smtlark run %s", p.File, p.File)}
	case o.Type != orderReproduce && p.Technique == "":
		return &LoadError{FaultUsage, fmt.Errorf("%s replays a finding and is no campaign; replay it: smtlark repro %s", p.File, p.File)}
	}
	return nil
}

func writeOrder(w io.Writer, o *order) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// died explains the end of a worker.
func died(ctx context.Context, p *process.Process, file, at string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &LoadError{FaultInternal, fmt.Errorf("the worker died with %s: %s", file, finding.Clip(whyAt(p.Wait(), at), 2000))}
}

// Show makes one case of a campaign without running it. The error is a *SkipError when there is no such case.
func Show(ctx context.Context, cfg Config, n uint64) (*testcase.Wire, error) {
	rep, _, err := ask(ctx, &cfg, &order{Type: orderShow, Job: 1, From: n}, reportShown)
	if err != nil {
		return nil, err
	}
	return rep.Case, nil
}

// Reproduce replays a repro.star, each of its reproductions several times in new processes.
func Reproduce(ctx context.Context, cfg Config, times int) ([]finding.Replay, error) {
	rep, _, err := ask(ctx, &cfg, &order{Type: orderReproduce, Job: 1, Times: times}, reportReproduced)
	if err != nil {
		return nil, err
	}
	if rep.Text != "" {
		return nil, &LoadError{rep.Fault, errors.New(rep.Text)}
	}
	return rep.Replays, nil
}
