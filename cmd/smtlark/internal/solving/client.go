package solving

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers/process"
)

// errClientGone is the error of a session whose client no longer reads replies.
var errClientGone = errors.New("the reader of the replies has closed its end of the pipe")

// untilClientGoes returns a context that also ends when the output has no reader any more. Otherwise, this would be
// noticed only at the next reply, which may never come while a solver works. Until the process ends, writing to such a
// client is an error, and does not end the process before it has ended its solvers.
func untilClientGoes(ctx context.Context, out io.Writer) (context.Context, context.CancelFunc) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // not ignored: solvers would inherit that
	ctx, end := context.WithCancelCause(ctx)
	if file := command.FileOf(out); file != nil {
		go func() {
			if system.AwaitNoReader(file) {
				end(errClientGone)
			}
		}()
	}
	return ctx, func() { end(nil) }
}

// clientInput reads the input of a client. It ends when the context does, even if the client never writes anything.
type clientInput struct {
	ctx    context.Context
	in     io.Reader
	prompt *process.PromptReader // nil: in is no file
	block  [32 << 10]byte        // of a read that waits
	rest   []byte                // bytes read but not consumed yet
	err    error
}

func newClientInput(ctx context.Context, in io.Reader) *clientInput {
	c := &clientInput{ctx: ctx, in: in}
	if file, ok := in.(*os.File); ok {
		c.prompt = process.NewPromptReader(file)
	}
	return c
}

// Read implements io.Reader. A client that was answered usually goes on at once: that costs no change of threads. Else
// another goroutine waits.
func (c *clientInput) Read(block []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, io.EOF
	}
	if len(c.rest) == 0 && c.err == nil && c.prompt != nil {
		if n := c.prompt.ReadPrompt(block); n > 0 {
			return n, nil
		}
	}
	if len(c.rest) == 0 && c.err == nil {
		came := make(chan struct{})
		go func() {
			defer close(came)
			var n int
			n, c.err = c.in.Read(c.block[:])
			c.rest = c.block[:n]
		}()
		select {
		case <-came:
		case <-c.ctx.Done(): // the read may go on: nothing of it is looked at any more
			return 0, io.EOF
		}
	}
	n := copy(block, c.rest)
	if c.rest = c.rest[n:]; n == 0 && len(block) > 0 {
		return 0, c.err
	}
	return n, nil
}
