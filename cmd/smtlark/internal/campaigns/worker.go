package campaigns

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/process"
	"github.com/smtlark/smtlark/engine/campaign/worker"
	"github.com/smtlark/smtlark/engine/ground/system"
)

func init() {
	command.RegisterHidden("worker", newWorker)
}

// maxStack bounds the stack of a goroutine in bytes, so that endless recursion kills a worker before it needs much
// memory.
const maxStack = 512 << 20

const workerAbout = `Serves "smtlark run" over its standard input and output; it is of no use by hand. The protocol, one JSON object
a line, is described in engine/campaign/wire.`

func newWorker(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "worker",
		Short: "run cases for a coordinator",
		Long:  workerAbout,
	}
	fs := c.Flags()
	command.Does(c, func(ctx context.Context) int {
		if fs.NArg() > 0 {
			return e.UsageError("worker", "it takes no arguments")
		}
		out, err := protocolOutput(e.Stdout)
		if err != nil {
			return e.Fail(command.ExitInternal, "worker", err)
		}
		debug.SetMaxStack(maxStack)
		// A worker does one thing at a time, or waits for a solver; with more, the scheduler wakes threads for each line that
		// a solver writes. There are as many workers as processors.
		runtime.GOMAXPROCS(1)
		command.LimitHeap()
		// Writing to a coordinator that is gone must not end the worker before it has cleaned up. The signal is not
		// ignored, because solvers would inherit that.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
		orphan := func() {
			process.EndLeftFamily()
			os.Exit(command.ExitInternal)
		}
		err = worker.Work(ctx, e.Stdin, out, loadCampaign, process.InheritedNumber(), orphan)
		process.EndLeftFamily() // ahead of any message: writing to a coordinator that is gone ends the process
		if err != nil {
			return e.Fail(command.ExitInternal, "worker", err)
		}
		return command.ExitOK
	})
	return c
}

// protocolOutput returns a writer of its own for the protocol. What anything else writes to standard output then goes
// to standard error, so that it cannot break the protocol.
func protocolOutput(out io.Writer) (io.Writer, error) {
	f, ok := out.(*os.File)
	if !ok || f != os.Stdout {
		return out, nil
	}
	return system.TakeStdout()
}
