package finding

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/build"
)

// Check is the result of one version of a solver on the case of a stored finding.
type Check struct {
	Kind    string `json:"kind"` // of the solver
	Version string `json:"version"`
	Hits    int    `json:"hits"`
	Tries   int    `json:"tries"`
	Outcome string `json:"outcome"` // its outcome in words
	// Target is the target of the plan that was asked, and Build its build: builds of one version are not the same.
	Target string      `json:"target,omitempty"`
	Build  *build.Info `json:"build,omitempty"`
}

// Run is a run as it is stored with a finding.
type Run struct {
	Target   string        `json:"target"`
	Solver   string        `json:"solver"`
	Version  string        `json:"version,omitempty"`
	Mode     string        `json:"mode,omitempty"`
	Class    solvers.Class `json:"class"`
	Answers  []string      `json:"answers"`
	Message  string        `json:"message,omitempty"`
	ExitCode int           `json:"exit_code"`
	Signal   string        `json:"signal,omitempty"`
	Argv     []string      `json:"argv,omitempty"`
	Preamble string        `json:"preamble,omitempty"`
	CPU      float64       `json:"cpu_seconds"`
	Wall     float64       `json:"wall_seconds"`
	Memory   int64         `json:"peak_memory_bytes,omitempty"`
	Stdout   string        `json:"stdout,omitempty"`
	Stderr   string        `json:"stderr,omitempty"`
	Outcome  string        `json:"outcome"` // answers and class in words
}

// Replay is the result of a reproduction.
type Replay struct {
	Target     string `json:"target"`
	Reproduced int    `json:"reproduced"`
	Tries      int    `json:"tries"`
	Want       string `json:"want"` // the outcome that counts as reproduced, in words
	// Refuted tells why the result does not count however often the target gave that answer: the answer that is assumed
	// to be right is not.
	Refuted string `json:"refuted,omitempty"`
	Runs    []Run  `json:"runs"`
	// AtOnce reports that the finding showed if the process got everything in one file, as from repro.sh, but not if it
	// got the input piece by piece, as in a campaign.
	AtOnce bool `json:"at_once,omitempty"`
}

// MaxOutput bounds each output stream that travels with a run, in bytes.
const MaxOutput = 64 << 10

func RunOf(r *solvers.Run) Run {
	i := Run{
		Target: r.Target, Solver: r.Solver, Version: r.Version, Mode: string(r.Mode), Class: r.Class, Message: r.Message,
		ExitCode: r.ExitCode, Signal: r.Signal, Argv: r.Argv, Preamble: r.Preamble, CPU: r.CPU.Seconds(), Wall: r.Wall.Seconds(),
		Memory: r.PeakMemory, Stdout: Clip(r.Stdout, MaxOutput), Stderr: Clip(r.Stderr, MaxOutput), Outcome: oracle.Outcome(r),
	}
	for _, a := range r.Answers {
		i.Answers = append(i.Answers, a.String())
	}
	return i
}

func RunsOf(runs []*solvers.Run) []Run {
	out := make([]Run, len(runs))
	for i, r := range runs {
		out[i] = RunOf(r)
	}
	return out
}

func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + fmt.Sprintf("\n[%d more bytes]\n", len(s)-n)
}
