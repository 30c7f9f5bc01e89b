package fakesolver

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	sigABRT = syscall.SIGABRT
	sigSEGV = syscall.SIGSEGV
	sigKILL = syscall.SIGKILL
)

// Messages of solvers about their failures.
const (
	fatalReply      = "(error \"Fatal failure within int f() at /build/src/f.cpp:12\nCheck failure\n x == y\")"
	failedAssertion = "fakesolver: /build/src/core/solver.cpp:123: int check(): Assertion `x == 0x7ffd1234abcd' failed."
)

// answerCheck answers a check-sat, with the fault that is due.
func (s *solver) answerCheck() (code int, stop bool) {
	answer := s.status
	if answer == "" {
		answer = s.answer
	}
	// A fault that a case asks for by set-info counts once, before that of the command line.
	fault := s.pending
	s.pending = ""
	if fault == "" && s.fault != "" && (s.at == 0 || s.at == s.checks) {
		fault = s.fault
	}
	s.last = answer
	switch fault {
	case "":
		if code, stop, done := s.runPlantedFault(answer); done {
			return code, stop
		}
		s.printLine(answer)
	case "wrong":
		s.last = map[string]string{"sat": "unsat", "unsat": "sat"}[answer]
		s.printLine(s.last)
	case "unknown":
		s.last = "unknown"
		s.printLine("unknown")
	case "two-answers":
		s.printLine("sat")
		s.printLine("unsat")
	case "garbage":
		s.printLine("#<pointer> \x01\xff 17 ))(((")
	case "partial":
		s.out.WriteString(answer)
	case "silent":
	case "late":
		s.held = answer
	case "success":
		s.printLine("success")
		s.printLine(answer)
		s.held = "success"
	case "fatal":
		s.printLine(fatalReply)
		s.failed = true
	case "unsupported":
		s.printLine("unsupported")
	case "parse-error":
		return s.reportError("Parse Error: unexpected token 'x'")
	case "refusal":
		return s.reportError("the option is not enabled in this logic")
	case "marker-wrong", "marker-missing", "marker-double", "marker-early":
		s.printLine(answer)
		s.atEcho = fault
	case "segv-plain", "segv-echoed":
		if (s.echoes > 0) == (fault == "segv-echoed") {
			s.out.Flush()
			dieBy(sigSEGV)
		}
		s.printLine(answer)
	case "reset-segv":
		s.printLine(answer)
		s.atReset = true
	default:
		return s.endWithFault(fault, answer)
	}
	return 0, false
}

// endWithFault carries out the faults after which the process serves no more.
func (s *solver) endWithFault(fault, answer string) (code int, stop bool) {
	s.out.Flush()
	switch fault {
	case "half":
		fmt.Fprint(os.Stdout, answer[:2])
		return 1, true
	case "segv":
		dieBy(sigSEGV)
	case "abort":
		fmt.Fprintln(s.errOut, failedAssertion)
		dieBy(sigABRT)
	case "abort-after":
		s.printLine(answer)
		s.out.Flush()
		dieBy(sigABRT)
	case "bare-error":
		fmt.Fprintln(os.Stdout, "error")
		fmt.Fprintln(s.errOut, "operator f is not supported")
		return 0, true
	case "exit0":
		return 0, true
	case "exit3":
		return 3, true
	case "exit139":
		return 139, true
	case "kill":
		dieBy(sigKILL)
	case "hang":
		sleepForever()
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		sleepForever()
	case "spin":
		for {
			runtime.Gosched() // a loop with an empty body cannot be preempted
		}
	case "flood", "flood-stderr":
		to := os.Stdout
		if fault == "flood-stderr" {
			to = os.Stderr
		}
		line := []byte(strings.Repeat("(flood) ", 1000) + "\n")
		for {
			if _, err := to.Write(line); err != nil {
				return 1, true
			}
		}
	case "close":
		os.Stdout.Close()
		os.Stderr.Close()
		sleepForever()
	case "grandchild":
		startSleeper(false)
		return 1, true
	case "escaped":
		startSleeper(true)
		return 1, true
	case "memory":
		eatMemory()
		fmt.Fprintln(s.errOut, "fakesolver: out of memory")
		return 1, true
	case "memory-segv":
		eatMemory()
		dieBy(sigSEGV)
	default:
		fmt.Fprintln(s.errOut, "fakesolver: no such fault:", fault)
		return 2, true
	}
	return 0, true
}

func sleepForever() {
	for {
		time.Sleep(time.Hour)
	}
}

// startSleeper starts a copy of the program that sleeps a while with the same pipes.
func startSleeper(leave bool) {
	cmd := exec.Command(os.Args[0], "--sleep=5s")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "FAKESOLVER=")
	if leave {
		leaveSession(cmd)
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "fakesolver:", err)
	}
}

// eatMemory takes memory until there is no more. It bypasses the Go heap, whose own failure would be a crash of Go.
func eatMemory() {
	const size = 4 << 20
	for {
		block, err := newBlock(size)
		if err != nil {
			return
		}
		for i := 0; i < size; i += 4096 {
			block[i] = 1
		}
	}
}
