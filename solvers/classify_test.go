package solvers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// plainProfile has no patterns of its own, so all classification comes from the generic patterns.
func plainProfile() *Profile {
	return &Profile{
		Name:    "any",
		Program: Program{Binaries: []string{}},
		Replies: Replies{Assertion: []string{"Fatal failure within"}, Unsupported: []string{"Unimplemented code"}, ExitCodes: map[string]string{"10": "ok", "101": "out-of-memory", "114": "assertion"}, Ignore: []string{`^; .* position: \d+$`, "^WARNING"}},
	}
}

// If a solver went on after an error, the error is not part of the message of its death.
func TestDeathAfterAnError(t *testing.T) {
	p := plainProfile()
	died := Evidence{Errors: `(error "Ambiguous symbol: x1")`, Signal: "SIGSEGV", ExitCode: -1}
	_, message := p.Classify(died)
	require.Equal(t, "SIGSEGV: Ambiguous symbol: x1", message)
	p.ContinuesAfterError = true
	_, message = p.Classify(died)
	require.Equal(t, "SIGSEGV", message)
	died.Stderr = "lost the tableau"
	_, message = p.Classify(died)
	require.Equal(t, "SIGSEGV: lost the tableau", message)
}

// TestClassify uses what solvers really print.
func TestClassify(t *testing.T) {
	for name, c := range map[string]struct {
		e       Evidence
		class   Class
		message string
	}{
		"nothing":         {Evidence{}, OK, ""},
		"warning":         {Evidence{Stderr: "WARNING: unused\n"}, OK, ""},
		"chatter":         {Evidence{Stderr: "q.smt2:1.8: No set-logic command was given before this point.\n"}, OK, ""},
		"boolector sat":   {Evidence{ExitCode: 10}, OK, ""},
		"z3 parse":        {Evidence{Errors: `(error "line 1 column 92: unknown constant y")`, ExitCode: 1}, ParseError, "input:*: unknown constant y"},
		"z3 option":       {Evidence{Errors: "(error \"line 1 column 18: unknown parameter 'foo'\nLegal parameters are:\n  auto_config (bool) (default: true)\")"}, Refusal, "input:*: unknown parameter 'foo'"},
		"z3 memory":       {Evidence{Errors: `(error "out of memory")`, ExitCode: 101}, OutOfMemory, "out of memory"},
		"z3 exit memory":  {Evidence{ExitCode: 101}, OutOfMemory, "exit code 101"},
		"z3 assertion":    {Evidence{Stderr: "ASSERTION VIOLATION\nFile: ../src/smt/theory_lra.cpp\nLine: 1234\nUNEXPECTED CODE WAS REACHED.\nZ3 4.8.12.0\n", ExitCode: 114}, Assertion, "ASSERTION VIOLATION File: theory_lra.cpp Line: 1234 UNEXPECTED CODE WAS REACHED."},
		"z3 unreachable":  {Evidence{ExitCode: 114}, Assertion, "exit code 114"},
		"z3 position":     {Evidence{Stderr: "; foo line: 1 position: 5\n", ExitCode: 0}, OK, ""},
		"z3 timeout":      {Evidence{Errors: "timeout\n"}, Timeout, "timeout"},
		"cvc5 parse":      {Evidence{Errors: "(error \"Parse Error: <stdin>:1.92: Symbol 'y' not declared as a variable\")", ExitCode: 1}, ParseError, "Parse Error: input:*: Symbol 'y' not declared as a variable"},
		"cvc5 timeout":    {Evidence{Stderr: "cvc5 interrupted by timeout.\n", ExitCode: -1, Signal: "SIGABRT"}, Timeout, "cvc5 interrupted by timeout."},
		"cvc5 tlimit 134": {Evidence{Stderr: "cvc5 interrupted by timeout.\n", ExitCode: 134}, Timeout, "cvc5 interrupted by timeout."},
		"cvc5 fatal": {Evidence{Stderr: "Fatal failure within void cvc5::internal::smt::State::notify(const cvc5::internal::Result&) at ./src/smt/solver_engine_state.cpp:73\nCheck failure\n\n x == y\n", Signal: "SIGABRT", ExitCode: -1},
			Assertion, "Fatal failure within void cvc5::internal::smt::State::notify(const cvc5::internal::Result&) at solver_engine_state.cpp:73 Check failure x == y"},
		"cvc4 unimplemented": {Evidence{Stderr: "Fatal failure within CVC4::Node f(CVC4::TNode) at ./src/theory/fp/fp_converter.cpp:1700\nUnimplemented code encounteredConversion is dependent on SymFPU\n", Signal: "SIGABRT", ExitCode: -1},
			Unsupported, "Fatal failure within CVC4::Node f(CVC4::TNode) at fp_converter.cpp:1700 Unimplemented code encounteredConversion is dependent on SymFPU"},
		"cvc4 segfault":        {Evidence{Stderr: "CVC4 suffered a segfault.\nOffending address is 0x7fff00001000\nLooks like a NULL pointer was dereferenced.\n", Signal: "SIGABRT", ExitCode: -1}, Crash, "CVC4 suffered a segfault. Offending address is 0x* Looks like a NULL pointer was dereferenced."},
		"cvc4 memory":          {Evidence{Stderr: "CVC4 was terminated by the C++ runtime.\nterminate called after throwing an instance of 'CVC4::Minisat::OutOfMemoryException'\n", Signal: "SIGABRT", ExitCode: -1}, OutOfMemory, "terminate called after throwing an instance of 'CVC4::Minisat::OutOfMemoryException'"},
		"bad_alloc":            {Evidence{Stderr: "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n", Signal: "SIGABRT", ExitCode: -1}, OutOfMemory, "terminate called after throwing an instance of 'std::bad_alloc'"},
		"exception":            {Evidence{Stderr: "terminate called after throwing an instance of 'std::out_of_range'\n  what():  map::at\n", Signal: "SIGABRT", ExitCode: -1}, Crash, "terminate called after throwing an instance of 'std::out_of_range' what(): map::at"},
		"bitwuzla parse":       {Evidence{Stderr: "[error] <stdin>:1:92: undefined symbol 'y'\n", ExitCode: 1}, ParseError, "[error] input:*: undefined symbol 'y'"},
		"bitwuzla logic":       {Evidence{Stderr: "[error] <stdin>:1:12: unsupported logic 'QF_FOO'\n", ExitCode: 1}, Unsupported, "[error] input:*: unsupported logic 'QF_FOO'"},
		"bitwuzla models":      {Evidence{Stderr: "[error] <stdin>:1:69: model generation is not enabled\n", ExitCode: 1}, Refusal, "[error] input:*: model generation is not enabled"},
		"assert":               {Evidence{Stderr: "bitwuzla: ../src/node/node.cpp:41: bool f(int*): Assertion `p != 0x55d0c0ffee00' failed.\n", Signal: "SIGABRT", ExitCode: -1}, Assertion, "bitwuzla: node.cpp:41: bool f(int*): Assertion `p != 0x*' failed."},
		"sanitizer":            {Evidence{Stderr: "=================================================================\n==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x60200000 at pc 0x55aa00 bp 0x7ffe0\nREAD of size 8 at 0x60200000 thread T0\n    #0 0x55aa00 in f /src/a/b.cpp:12:3\n", ExitCode: 1}, Crash, "*ERROR: AddressSanitizer: heap-use-after-free on address 0x* at pc 0x* bp 0x* READ of size 8 at 0x* thread T* #0 0x* in f b.cpp:12:3"},
		"undefined behaviour":  {Evidence{Stderr: "/src/a.cpp:9:5: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'\n"}, Crash, "a.cpp:9:5: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'"},
		"silent segfault":      {Evidence{Signal: "SIGSEGV", ExitCode: -1}, Crash, "SIGSEGV"},
		"segfault in script":   {Evidence{ExitCode: 139}, Crash, "exit code 139"},
		"segfault near memory": {Evidence{Signal: "SIGSEGV", ExitCode: -1, PeakMemory: 900, MemoryLimit: 1000}, OutOfMemory, "SIGSEGV"},
		"segfault far from it": {Evidence{Signal: "SIGSEGV", ExitCode: -1, PeakMemory: 300, MemoryLimit: 1000}, Crash, "SIGSEGV"},
		"killed":               {Evidence{Signal: "SIGKILL", ExitCode: -1}, Killed, "SIGKILL"},
		"terminated":           {Evidence{Signal: "SIGTERM", ExitCode: -1}, Killed, "SIGTERM"},
		"cpu limit":            {Evidence{Signal: "SIGXCPU", ExitCode: -1}, Timeout, "SIGXCPU"},
		"unknown failure":      {Evidence{Stderr: "usage: solver FILE\n", ExitCode: 2}, SolverError, "usage: solver FILE"},
		"a symbol": {Evidence{Errors: `(error "line 1 column 16: unknown constant |ASSERTION VIOLATION out of memory|")`, ExitCode: 1}, ParseError,
			"input:*: unknown constant |ASSERTION VIOLATION out of memory|"},
		"failure code": {Evidence{ExitCode: 3}, SolverError, "exit code 3"},
	} {
		class, message := plainProfile().Classify(c.e)
		require.Equal(t, c.class, class, "%s: %s", name, message)
		require.Equal(t, c.message, message, name)
	}
}

// A refusal or a limit must never look like a bug, whatever else is printed; only Crash and Assertion are bugs.
func TestOnlyTwoClassesAreBugs(t *testing.T) {
	var bugs []string
	for _, c := range Classes() {
		if c.IsBug() {
			bugs = append(bugs, c.String())
		}
		parsed, ok := ParseClass(c.String())
		require.True(t, ok)
		require.Equal(t, c, parsed)
	}
	require.Equal(t, []string{"crash", "assertion"}, bugs)
	_, ok := ParseClass("invalid")
	require.False(t, ok)
}

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		`(error "line 12 column 3: Sorts Int and Bool are incompatible")`: "input:*: Sorts Int and Bool are incompatible",
		"/tmp/smtlark-123/case.smt2:10.15: boom":                          "input:*: boom",
		"at 0x7ffdeadbeef and 0x12":                                       "at 0x* and 0x12",
		"==123==ERROR":                                                    "*ERROR",
		"in ../src/util/vector.h:77:  x":                                  "in vector.h:77: x",
		"/home/a-b/c_d/e+f/g.cpp:1: y":                                    "g.cpp:1: y",
		"bad \xff utf":                                                    "bad ? utf",
		"quoted smtlark-0a1b2c3d-17 marker":                               "quoted smtlark marker",
		"1/2 and (/ 1 2)":                                                 "1/2 and (/ 1 2)",
	} {
		require.Equal(t, want, Normalize(in), in)
	}
	require.Len(t, Normalize(strings.Repeat("x", 5000)), maxMessage)
}

// Normalising is idempotent up to the cut, bounded, and free of line ends.
func TestNormalizeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("abx01 /.:()\"\n\té=#"))).Draw(t, "text")
		m := Normalize(text)
		require.LessOrEqual(t, len(m), maxMessage)
		require.NotContains(t, m, "\n")
		require.Equal(t, m, strings.TrimSpace(m))
	})
}

func FuzzClassify(f *testing.F) {
	f.Add("(error \"line 1 column 2: x\")", "Assertion `a' failed.", 1, "SIGABRT")
	f.Fuzz(func(t *testing.T, errs, stderr string, exit int, signal string) {
		c, m := plainProfile().Classify(Evidence{Errors: errs, Stderr: stderr, ExitCode: exit, Signal: signal})
		if c == Invalid || len(m) > maxMessage+64 {
			t.Fatalf("%v %q", c, m)
		}
	})
}
