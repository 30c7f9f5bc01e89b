package process

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// Worker is a child process that answers requests over its standard input and output, one reply per request. Each
// message is a length in four bytes (little endian), followed by that many bytes. It has the limits, the process group
// and the bookkeeping of solver processes; native targets put the libraries of solvers into such children.
type Worker struct {
	c       *child
	used    time.Duration // CPU time at the end of the last exchange
	runs    int
	lim     solvers.Limits
	message []byte // the latest, whose memory the next one gets
	reply   []byte // the latest, likewise
}

// peakEvery is the number of exchanges after which the resident size is read again.
const peakEvery = 64

// workerMemory is the kind of memory that is limited, as in solvers.Profile. A worker is most often this program, so
// with the race detector resident memory is limited, as for other builds with sanitizers.
var workerMemory = map[bool]string{false: "data", true: "resident"}[system.RaceDetector]

// StartWorker starts argv in a folder under the limits, confined to that folder. The context matters only if it belongs
// to a backtrace.Observation.
func StartWorker(ctx context.Context, argv, env []string, folder *Folder, lim solvers.Limits) (*Worker, error) {
	c, err := startChild(ctx, folder.starter, argv, confine.Environ(env, folder.Dir), folder.Dir, true, lim, workerMemory)
	if err != nil {
		return nil, err
	}
	return &Worker{c: c, lim: lim}, nil
}

// replyKept is the size from which the memory of a reply is not reused for the next one.
const replyKept = 1 << 20

// replyLimit is the size that a reply may have beyond the output limit, for its parts other than output.
const replyLimit = 1 << 20

// Exchange sends a request and returns the reply, which counts until the next exchange. The limits hold for this
// exchange; a worker that exceeds one is killed. The error is io.ErrUnexpectedEOF for a worker that has ended; Death
// and Killed say how.
func (w *Worker) Exchange(ctx context.Context, request []byte, lim solvers.Limits) ([]byte, error) {
	c := w.c
	defer c.killWith(ctx)()
	w.runs++
	if lim.Memory != w.lim.Memory {
		c.process.setMemoryLimit(lim, workerMemory)
		w.lim.Memory = lim.Memory
	}
	c.process.setCPULimit(w.used, lim)
	c.errs.beginRun(lim.Output)
	resident, step := ownMemoryLimit(workerMemory), lim.Wall
	if resident || lim.CPU > 0 {
		step = firstLook
	}
	tick := newTicker(c, step, resident, lim, w.used)
	defer func() { w.used = c.cpuTime() }()
	if err := w.send(request, tick.end); err != nil {
		w.awaitOrKill(lim)
		return nil, io.ErrUnexpectedEOF
	}
	reply, err := w.readReply(tick, lim)
	if err != nil {
		w.awaitOrKill(lim)
		return nil, err
	}
	if w.runs%peakEvery == 1 {
		c.samplePeak()
	}
	return reply, nil
}

// send writes a request. Most of them go into the pipe at once; for the rest of a long one there is time until end.
func (w *Worker) send(request []byte, end time.Time) error {
	w.message = append(binary.LittleEndian.AppendUint32(w.message[:0], uint32(len(request))), request...)
	n, err := writeNow(w.c.stdin, w.message)
	if err != nil || n == len(w.message) {
		return err
	}
	_ = w.c.stdin.SetWriteDeadline(end)
	_, err = w.c.stdin.Write(w.message[n:])
	_ = w.c.stdin.SetWriteDeadline(time.Time{}) // one that is over would stop the next request
	return err
}

func (w *Worker) readReply(tick *ticker, lim solvers.Limits) ([]byte, error) {
	c := w.c
	buf := w.reply[:0]
	defer func() {
		if w.reply = buf; cap(buf) > replyKept {
			w.reply = nil
		}
	}()
	for {
		if len(buf) >= 4 {
			n := int64(binary.LittleEndian.Uint32(buf))
			if n > lim.Output+replyLimit {
				c.killGroupFor(solvers.OutputLimit, fmt.Sprintf("killed after a reply of %d bytes", n))
				return nil, io.ErrUnexpectedEOF
			}
			if int64(len(buf)) >= 4+n {
				return buf[4 : 4+n], nil
			}
		}
		buf = slices.Grow(buf, 4096)
		n, err := c.readOutput(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, os.ErrDeadlineExceeded) && !c.isDead() {
			tick.checkLimits()
			continue
		}
		if err != nil && n == 0 {
			return nil, io.ErrUnexpectedEOF
		}
	}
}

// awaitOrKill waits for the end of a worker that does not answer any more, and kills it after a while.
func (w *Worker) awaitOrKill(lim solvers.Limits) {
	if !w.c.awaitsEnd(lim) {
		w.c.killGroupFor(solvers.Garbage, "it closed its output and went on")
		<-w.c.done
	}
	w.used = w.c.cpuTime()
}

// PID returns the number of the process.
func (w *Worker) PID() int { return w.c.process.pid }

// Dead reports whether the process has ended.
func (w *Worker) Dead() bool { return w.c.isDead() }

// CPU returns the CPU time used until the end of the last exchange; before the first, until now.
func (w *Worker) CPU() time.Duration {
	if w.runs == 0 {
		return w.c.cpuTime()
	}
	return w.used
}

// Peak returns the greatest resident size seen, in bytes. It is looked up now and then, and at the end.
func (w *Worker) Peak() int64 {
	if w.c.isDead() {
		return w.c.samplePeak()
	}
	return w.c.peak
}

// Sample looks up the resident size now.
func (w *Worker) Sample() int64 { return w.c.samplePeak() }

// Death returns how the process ended: its exit code, or -1 and the name of the signal.
func (w *Worker) Death() (exit int, signal string) { return w.c.exitAndSignal() }

// Killed returns why smtlark killed it; Invalid if it did not.
func (w *Worker) Killed() (solvers.Class, string) { return w.c.killedFor() }

// Stderr returns the worker's standard error output during the last exchange.
func (w *Worker) Stderr() string { return w.c.errs.textSinceBegin() }

// Close ends the process and waits for it.
func (w *Worker) Close() { w.c.killAndClose() }
