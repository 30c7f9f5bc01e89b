package native

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/bindings"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// kinds are the bindings, by the name of their solver's profile.
var kinds = map[string]func(*driver.Library) (driver.API, error){
	"z3": bindings.NewZ3, "cvc5": bindings.NewCVC5, "bitwuzla": bindings.NewBitwuzla, "boolector": bindings.NewBoolector,
	"yices2": bindings.NewYices,
}

// boundKinds lists the libraries that there are bindings of, by the name of their solver's profile.
func boundKinds() []string { return []string{"z3", "cvc5", "bitwuzla", "boolector", "yices2"} }

// child is the state of Serve.
type childState struct {
	lib   *driver.Library
	api   driver.API
	arena *smt.Arena
	mark  smt.Mark
	out   *os.File
	errs  *os.File        // output of the library since the run began; nil if it goes to our own stderr
	sess  *driver.Session // of a live session
	scope *smtlib.Scope

	shared sharedSolver

	message []byte // the latest reply to a run; its buffer is reused
	print   []byte // buffer for the library's output
	silent  bool   // it had printed nothing when the latest run ended
}

// loadLibrary loads a library and returns it with its binding, for a process that may die of it.
func loadLibrary(kind, path string) (*driver.Library, driver.API, error) {
	open := kinds[kind]
	if open == nil {
		return nil, nil, fmt.Errorf("there is no binding of %q; there are: %s", kind, strings.Join(boundKinds(), ", "))
	}
	lib, err := driver.OpenLibrary(kind, path)
	if err != nil {
		return nil, nil, err
	}
	x, err := open(lib)
	if err != nil {
		return nil, nil, err
	}
	return lib, x, nil
}

// Serve is the main function of a child that holds a library: it answers requests from in on out until in ends. Output
// of the library goes to a file in the working folder. Fatal signals end the process as they end a C program, so that
// its exit status is genuine; see docs/native.md.
func Serve(kind, path string, in io.Reader, out *os.File) error {
	runtime.LockOSThread() // the main thread's stack obeys its limit, and some libraries keep errors by thread
	// Output of the library must not mix with the messages.
	if own, err := system.Duplicate(out); err == nil {
		out = own
	}
	c := &childState{out: out}
	lib, x, err := loadLibrary(kind, path)
	if err != nil {
		// Send the error as the reply to the first request, so that the parent knows the reason.
		if _, readErr := readMessage(bufio.NewReader(in)); readErr != nil {
			return err
		}
		return c.sendReply(&reply{Error: err.Error(), Last: true})
	}
	c.lib, c.api = lib, x
	if log, err := driver.OpenLog(logName(os.Getpid())); err == nil {
		lib.UseLog(log)
	}
	c.redirectOutput()
	defaultSignals()
	c.arena = smt.NewArena()
	c.mark = c.arena.Mark()
	if f, ok := in.(*os.File); ok {
		in = process.NewPromptReader(f)
	}
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		body, err := readMessage(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		q, text, err := parseRequest(body)
		if err != nil {
			return fmt.Errorf("native: a request that cannot be read: %w", err)
		}
		a := c.answerRequest(q, text)
		if err := c.sendReply(a); err != nil {
			return err
		}
		if a.Last {
			syscall.Exit(0) // not os.Exit of C: destructors of a broken library may do anything
		}
	}
}

// parseRequest reads a message and returns the request with the text that it is about.
func parseRequest(body []byte) (*request, []byte, error) {
	if isPacked(body) {
		return unpackRequest(body)
	}
	head, text, _ := bytes.Cut(body, []byte{'\n'})
	q := &request{}
	return q, text, json.Unmarshal(head, q)
}

func logName(pid int) string    { return "calls." + strconv.Itoa(pid) }
func stderrName(pid int) string { return "stderr." + strconv.Itoa(pid) }

// redirectOutput redirects the library's output to a file, which both sides can read even after a crash.
func (c *childState) redirectOutput() {
	f, err := os.OpenFile(stderrName(os.Getpid()), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	c.errs = f
	_ = system.PrintTo(f)
	driver.Printed = c.printedText
}

// printedText returns the library's output since the run began.
func (c *childState) printedText() string {
	if c.errs == nil {
		return ""
	}
	if c.print == nil {
		c.print = make([]byte, 16<<10)
	}
	n, _ := c.errs.ReadAt(c.print, 0)
	c.silent = n == 0
	return string(c.print[:n])
}

// beginRun starts a run.
func (c *childState) beginRun() {
	c.lib.Log.Begin()
	if c.errs == nil || c.silent {
		return
	}
	// The parent reads the whole file after a death, so output of earlier runs and of the start is removed.
	if st, err := c.errs.Stat(); err == nil && st.Size() > 0 {
		_ = c.errs.Truncate(0)
	}
}

// defaultSignals gives faults back to the kernel: Go's handlers would turn every death into exit code 2.
func defaultSignals() {
	signal := driver.LibcSymbol("signal")
	if signal == 0 || os.Getenv(envKeepSignals) != "" {
		return
	}
	for _, s := range []syscall.Signal{syscall.SIGILL, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV} {
		driver.SyscallC(signal, []uintptr{uintptr(s), 0})
	}
}

// envKeepSignals keeps Go's handlers of fatal signals, which print the address of a fault.
const envKeepSignals = "SMTLARK_NATIVE_TRACEBACK"

func readMessage(r *bufio.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	body := make([]byte, binary.LittleEndian.Uint32(head[:]))
	_, err := io.ReadFull(r, body)
	return body, err
}

func (c *childState) sendReply(a *reply) error {
	c.message = append(c.message[:0], 0, 0, 0, 0)
	if a.packed {
		c.message = packReply(c.message, a)
	} else {
		body, err := json.Marshal(a)
		if err != nil {
			return err
		}
		c.message = append(c.message, body...)
	}
	binary.LittleEndian.PutUint32(c.message, uint32(len(c.message)-4))
	_, err := c.out.Write(c.message)
	return err
}

func (c *childState) answerRequest(q *request, text []byte) *reply {
	switch q.Op {
	case "hello":
		return c.helloReply()
	case "run":
		a := c.runCalls(q, text)
		a.packed = true
		return a
	case "open":
		return c.openSession(q)
	case "call", "sort", "term", "close":
		return c.callSession(q, string(text))
	}
	return &reply{Error: "no request is named " + q.Op}
}

// helloReply returns the reply with the version and options.
func (c *childState) helloReply() (a *reply) {
	a = &reply{}
	defer func() {
		if f, ok := recover().(*driver.Fault); ok && f != nil {
			a.Error = f.Message
		}
	}()
	c.lib.Memory.Reset()
	a.Version = c.api.Version()
	a.Options = c.api.Options()
	return a
}

// runCalls plays a script or a trace.
func (c *childState) runCalls(q *request, text []byte) *reply {
	c.beginRun()
	// Release the terms of earlier runs: a child serves hundreds of runs.
	c.arena.Release(c.mark)
	c.mark = c.arena.Mark()
	calls, err := c.readCalls(q, text)
	if err != nil {
		return &reply{Class: solvers.ParseError, Message: solvers.Normalize(firstLine(err.Error()))}
	}
	limits := driver.TimeLimits{TimeLimit: q.TimeLimit}
	if q.Wall > 0 {
		limits.Deadline = time.Now().Add(q.Wall)
	}
	if q.Budget > 0 {
		limits.Budget = driver.ProcessCPU() + q.Budget
	}
	p := &played{child: c, before: c.lib.Calls, limits: limits}
	c.lib.Clock, c.lib.Spent = q.Clock, 0
	q.Shares = q.Shares && c.api.Reusable()
	if key, n, shared := c.shared.next(q, calls, len(text)); shared {
		if s := c.shared.enter(key, calls[:n], limits, func() *driver.Session { return p.open(q) }); s != nil {
			p.play(s, calls[n:])
			c.shared.exit(p.run.Class == solvers.OK && !p.stopped && !p.broken)
			// Some libraries lack features after a push that they have before it.
			if p.broken || p.run.Class != solvers.Unsupported && p.run.Class != solvers.Refusal {
				return p.reply()
			}
		}
	}
	c.shared.leave()
	p.run, p.stopped, p.broken = solvers.Run{}, false, false
	s := p.open(q)
	p.play(s, calls)
	_, _ = s.Close()
	a := p.reply()
	a.Alone = true
	return a
}

// played is a run of a child.
type played struct {
	child   *childState
	limits  driver.TimeLimits
	before  uint64 // calls of the library
	run     solvers.Run
	stopped bool // the time was up
	broken  bool // the library's state cannot be trusted any more
}

// open returns a new session with the options of a request.
func (p *played) open(q *request) *driver.Session {
	s := driver.NewSession(p.child.api, p.child.arena)
	s.TimeLimits, s.Settings.Resources = p.limits, q.Resources
	for _, o := range q.Options {
		if err := s.SetOption(o.Name, o.Value); err != nil {
			p.run.Class, p.run.Message = solvers.ClassOf(err), err.Error()
		}
	}
	if q.Models {
		_ = s.SetOption("produce-models", "true")
	}
	if q.Cores {
		_ = s.SetOption("produce-unsat-cores", "true")
	}
	return s
}

// play makes the calls on a session.
func (p *played) play(s *driver.Session, calls []solvers.Call) {
	late := func() bool { return !s.Deadline.IsZero() && time.Now().After(s.Deadline) }
	player := &solvers.Player{
		Open: func() (solvers.Session, error) { return p.child.openFurther(s) },
		Stop: func() bool { p.stopped = p.stopped || late(); return p.stopped },
		After: func(_ int, c *solvers.Call, err error) {
			p.broken = p.broken || solvers.DeadAfter(err)
			p.stopped = p.stopped || solvers.ClassOf(err) == solvers.Timeout || c.Command.Kind.IsCheck() && s.Spent()
		},
	}
	player.Play(context.Background(), s, calls, &p.run)
}

// reply reports the result of the run.
func (p *played) reply() *reply {
	run := &p.run
	// Another class, such as an error, is more informative than a timeout.
	if p.stopped && (run.Class == solvers.OK || run.Class == solvers.Invalid) {
		run.Class, run.Message = solvers.Timeout, "interrupted at the time limit"
	}
	lib := p.child.lib
	return &reply{Answers: run.Answers, Values: run.Values, Failed: run.Failed, Class: run.Class, Message: run.Message,
		Stderr: p.child.printedText(),
		Calls:  lib.Calls - p.before, Inside: lib.Spent, Last: p.broken}
}

// openFurther opens a further solver of the same library.
func (c *childState) openFurther(first *driver.Session) (solvers.Session, error) {
	s := driver.NewSession(first.API.Twin(), c.arena)
	s.Peer = &first.Translation
	s.TimeLimit, s.Settings.Resources, s.Deadline, s.Budget = first.TimeLimit, first.Settings.Resources, first.Deadline,
		first.Budget
	return s, nil
}

// readCalls turns a text into calls.
func (c *childState) readCalls(q *request, text []byte) ([]solvers.Call, error) {
	if q.Trace {
		t, err := tracetext.Read(text, c.arena)
		if err != nil {
			return nil, err
		}
		return t.Calls, nil
	}
	script, err := smtlib.Parse("input", text, c.arena)
	if err != nil {
		return nil, err
	}
	t := solvers.TraceOf(script)
	if !q.Plain {
		t.ChooseBy(text)
	}
	for i, when := range q.When {
		if i < len(t.Calls) {
			t.Calls[i].When, _ = smtlib.ParseAnswer(when)
		}
	}
	return t.Calls, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
