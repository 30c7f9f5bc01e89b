package fakesolver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// frontFlag is the argument that puts the fake solver before a real one; the arguments behind it are the real one's.
const frontFlag = "--front="

// frontFault is a fault, the place of a failed check, and what must have been seen. The front of a real solver does
// these for (set-info :fault NAME). For NAME@TEXT it does so only where one of its arguments, options or :source texts
// so far contains TEXT; abort/PLACE fails the check of that name.
//
//	wrong           the opposite of the answer
//	unknown         unknown in the place of the answer
//	fatal           a failed internal check as an error reply, in the place of the answer
//	abort           a failed assertion and SIGABRT, in the place of the answer
//	abort-after     the answer, and SIGABRT
//	abort-at-reset  the answer, and a failed assertion and SIGABRT at the next reset or pop
//	segv            SIGSEGV in the place of the answer
//	exit139         exit code 139 in the place of the answer, as a shell whose child died by SIGSEGV
//	hang            nothing more, for ever
//	model           other bits in the values of the next models
//	values          other bits in the next values that are asked for
//	core            the first element only of the next unsat cores and unsat assumptions
type frontFault struct{ name, place, needs string }

func parseFrontFault(text string) (f frontFault) {
	text, f.needs, _ = strings.Cut(text, "@")
	f.name, f.place, _ = strings.Cut(text, "/")
	return f
}

// front stands between its user and a real solver, passes commands and replies through, and injects the faults that the
// script names. They are found on the way in, where check-sats are counted, and carried out on the way out, at the
// answer with that number.
type front struct {
	words []string // arguments, options and :source texts, for NAME@TEXT
	out   io.Writer
	errs  io.Writer

	once *once  // nil: it does not die so
	kill func() // ends the real solver

	mu      sync.Mutex
	pending frontFault         // for the next check-sat
	checks  int                // check-sats passed on
	faults  map[int]frontFault // by number of check-sat, from 1
	atReset frontFault         // for the next reset or pop
	dying   bool               // it came

	answers int    // answers seen
	editing string // fault for replies to questions about the latest answer
}

// runFront runs a real solver behind the front and returns its exit code.
func runFront(real string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f := &front{words: slices.Clone(args), out: stdout, errs: stderr, faults: map[int]frontFault{}}
	if len(args) > 0 && strings.HasPrefix(args[0], onceFlag) {
		var err error
		if f.once, err = parseOnce(args[0][len(onceFlag):]); err != nil {
			fmt.Fprintln(stderr, "fakesolver:", err)
			return 2
		}
		args = args[1:]
	}
	cmd := exec.Command(real, args...)
	f.kill = func() { _ = cmd.Process.Kill() }
	cmd.Stderr = stderr
	replies, err := cmd.StdoutPipe()
	if err != nil {
		fmt.Fprintln(stderr, "fakesolver:", err)
		return 2
	}
	var commands io.WriteCloser
	if file := inputFile(args); file != nil { // the real solver reads it itself
		f.forwardCommands(bufio.NewReader(file), io.Discard)
		file.Close()
	} else if commands, err = cmd.StdinPipe(); err != nil {
		fmt.Fprintln(stderr, "fakesolver:", err)
		return 2
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(stderr, "fakesolver:", err)
		return 127
	}
	drained := make(chan struct{})
	if commands != nil {
		go func() {
			crash := f.forwardCommands(bufio.NewReader(stdin), commands)
			commands.Close()
			if crash {
				<-drained
				f.abortAtPlace(f.atReset)
			}
		}()
	}
	code, end := f.editReplies(bufio.NewReader(replies), f.kill)
	close(drained)
	if f.isDying() {
		if commands == nil { // the reset was in the file
			f.abortAtPlace(f.atReset)
		}
		sleepForever() // until forward ends the process
	}
	if end {
		return code
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			dieBy(status.Signal())
		}
		return exit.ExitCode()
	}
	return 0
}

// inputFile opens the script among the arguments, if there is one.
func inputFile(args []string) *os.File {
	for _, a := range args {
		if strings.HasSuffix(a, ".smt2") {
			if file, err := os.Open(a); err == nil {
				return file
			}
		}
	}
	return nil
}

func (f *front) isDying() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dying
}

// forwardCommands passes commands on until there are no more, and notes the faults that they name. crash says that the
// last one was a reset or pop at which the process is to die.
func (f *front) forwardCommands(in *bufio.Reader, out io.Writer) (crash bool) {
	for {
		text, err := readCommand(in, bufio.NewWriter(io.Discard))
		if err != nil {
			return false
		}
		if out != io.Discard && f.once.isDue(text) {
			if f.once.hangs {
				sleepForever()
			}
			f.mu.Lock()
			f.dying = true
			f.mu.Unlock()
			f.kill()
			dieBy(sigSEGV)
		}
		if f.noteFaults(text) {
			return out != io.Discard
		}
		if _, err := io.WriteString(out, text+"\n"); err != nil {
			return false
		}
	}
}

func (f *front) noteFaults(text string) (crash bool) {
	words := strings.Fields(strings.Trim(text, "()"))
	if len(words) == 0 {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch words[0] {
	case "set-info":
		if len(words) > 2 && words[1] == ":fault" {
			f.pending = parseFrontFault(words[2])
		}
		if words[1] == ":source" {
			f.words = append(f.words, text)
		}
	case "set-option":
		f.words = append(f.words, strings.Join(words[1:], " "))
	case "check-sat", "check-sat-assuming", "check-sat-using":
		f.checks++
		if slices.ContainsFunc(f.words, func(w string) bool { return strings.Contains(w, f.pending.needs) }) || f.pending.needs == "" {
			f.faults[f.checks] = f.pending
			if f.pending.name == "abort-at-reset" {
				f.atReset = f.pending
			}
		}
		f.pending = frontFault{}
	case "reset", "reset-assertions", "pop":
		f.dying = f.dying || f.atReset.name != ""
		f.pending = frontFault{}
	}
	return f.dying
}

// abortAtPlace says which check failed and ends the process.
func (f *front) abortAtPlace(fault frontFault) {
	if fault.place == "" {
		fault.place = "check"
	}
	fmt.Fprintf(f.errs, "fakesolver: /build/src/core/%s.cpp:123: int %s(): Assertion `x == 0x7ffd1234abcd' failed.\n", fault.place, fault.place)
	dieBy(sigABRT)
}

// editReplies passes replies on, a line at a time, until there are no more or a fault ends the process with a code.
func (f *front) editReplies(in *bufio.Reader, kill func()) (code int, end bool) {
	var reply []byte // a reply of several lines is kept until it is complete
	for {
		line, err := in.ReadBytes('\n')
		reply = append(reply, line...)
		if text := bytes.TrimSpace(reply); err != nil || !bytes.HasPrefix(text, []byte("(")) || smtlib.SExprEnd(text) > 0 {
			if code, end := f.passReply(reply, kill); end {
				return code, true
			}
			reply = nil
		}
		if err != nil {
			return 0, false
		}
	}
}

var (
	binary      = regexp.MustCompile(`#b[01]`)
	hexadecimal = regexp.MustCompile(`#x[0-9a-fA-F]`)
	decimal     = regexp.MustCompile(`\(_ bv\d+`)
	firstOfList = regexp.MustCompile(`^\(\s*([^\s()]+|\([^()]*(?:\([^()]*\)[^()]*)*\))`)
)

// otherBits changes the values of bit vectors in a text, whatever way they are written.
func otherBits(text []byte) []byte {
	flip := func(other map[byte]byte, rest byte) func([]byte) []byte {
		return func(m []byte) []byte {
			last := len(m) - 1
			if d, ok := other[m[last]]; ok {
				rest = d
			}
			return append(m[:last:last], rest)
		}
	}
	text = binary.ReplaceAllFunc(text, flip(map[byte]byte{'1': '0'}, '1'))
	text = hexadecimal.ReplaceAllFunc(text, flip(map[byte]byte{'8': '0'}, '8'))
	return decimal.ReplaceAllFunc(text, flip(map[byte]byte{'1': '0', '2': '3', '3': '2', '4': '5', '5': '4', '6': '7', '7': '6', '8': '9', '9': '8'}, '1'))
}

func (f *front) passReply(text []byte, kill func()) (code int, end bool) {
	switch answer := string(bytes.TrimSpace(text)); answer {
	case "sat", "unsat", "unknown":
		f.mu.Lock()
		f.answers++
		fault := f.faults[f.answers]
		f.mu.Unlock()
		f.editing = fault.name
		return f.passAnswer(answer, fault, kill)
	}
	trimmed := bytes.TrimSpace(text)
	is := func(start string) bool { return bytes.HasPrefix(trimmed, []byte(start)) }
	switch {
	case is("(error") || !is("("):
	case bytes.Contains(text, []byte("define-fun")) || is("(= "): // that of Yices is (= a value)
		if f.editing == "model" {
			text = otherBits(text)
		}
	case f.editing == "values":
		text = otherBits(text)
	case f.editing == "core":
		text = append(firstOfList.Find(trimmed), ")\n"...)
	}
	_, err := f.out.Write(text)
	return 1, err != nil
}

// passAnswer carries out the fault of a check-sat.
func (f *front) passAnswer(answer string, fault frontFault, kill func()) (code int, end bool) {
	switch fault.name {
	case "wrong":
		answer = map[string]string{"sat": "unsat", "unsat": "sat", "unknown": "unknown"}[answer]
	case "unknown":
		answer = "unknown"
	case "fatal":
		answer = fatalReply
	case "segv":
		kill()
		dieBy(sigSEGV)
	case "abort":
		kill()
		f.abortAtPlace(fault)
	case "abort-after":
		kill()
		fmt.Fprintln(f.out, answer)
		dieBy(sigABRT)
	case "exit139":
		kill()
		return 139, true
	case "hang":
		kill()
		sleepForever()
	}
	_, err := fmt.Fprintln(f.out, answer)
	return 1, err != nil
}
