package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/native"
	script "github.com/smtlark/smtlark/starlark"
)

// crashes are traces on which libraries crash, with the messages that they print.
var crashes = []struct{ library, says, trace string }{
	{"bitwuzla-0.8.2", "symfpu_wrapper.cpp:501", `0 mk-sort "RoundingMode"
return s1
0 mk-term RNE s1 0
return t2
0 mk-sort "(_ BitVec 12)"
return s3
0 mk-value s3 "#x000"
return t4
0 mk-sort "(_ FloatingPoint 5 11)"
return s5
0 mk-term to_fp_unsigned s5 2 t2 t4 2 5 11
return t6
0 mk-sort "Bool"
return s7
0 mk-term fp.isNaN s7 1 t6
return t8
0 check-sat-assuming 1 t8
`},
	{"cvc5-1.3.2", "Unreachable code reached", `0 mk-sort "(_ BitVec 1)"
return s1
0 mk-const s1 "a"
return t2
0 mk-sort "Bool"
return s3
0 mk-value s3 "false"
return t4
0 mk-value s3 "true"
return t5
0 mk-term bvite s3 3 t2 t4 t5
return t6
0 assert-formula t6
0 check-sat
`},
	{"z3-4.8.12", "fpa2bv_converter.cpp", `0 mk-sort "RoundingMode"
return s1
0 mk-const s1 "a"
return t2
0 mk-sort "(_ FloatingPoint 11 53)"
return s3
0 mk-term NaN s3 0 2 11 53
return t4
0 mk-term fp.fma s3 4 t2 t4 t4 t4
return t5
0 mk-sort "Bool"
return s6
0 mk-term fp.isNaN s6 1 t5
return t7
0 assert-formula t7
0 push 1
`},
}

// TestCProgramsCrash checks that a trace that crashes a library also does so as a C program, compiled as its first
// lines say.
func TestCProgramsCrash(t *testing.T) {
	useLibraries(t)
	for _, x := range crashes {
		t.Run(x.library, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.trace")
			require.NoError(t, os.WriteFile(file, []byte("# smtlark trace 1\n"+x.trace), 0o600))
			diesOf(t, x.library, file, x.says)
		})
	}
}

// TestCProgramsOfRealTraces does that for the traces of real crashes as they were found.
func TestCProgramsOfRealTraces(t *testing.T) {
	if os.Getenv("SMTLARK_DEEP") == "" {
		t.Skip("takes half a minute; SMTLARK_DEEP=1 runs it")
	}
	useLibraries(t)
	for name, says := range map[string]string{
		"bitwuzla-bitvector-215": "bitvector.cpp:215", "bitwuzla-symfpu-501": "symfpu_wrapper.cpp:501", "bitwuzla-symfpu-1195": "symfpu_wrapper.cpp:1195",
		"walk-bitwuzla-symfpu-508": "symfpu_wrapper.cpp:508", "walk-boolector-parameterized": "btorslvfun.c", "cvc5-bitblast": "Unreachable code reached",
		"z3-fpa2bv": "fpa2bv_converter.cpp", "walk-z3-fpa2bv": "fpa2bv_converter.cpp",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("cmd", "smtlark", "testdata", "traces", name+".trace")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			_, on, _ := strings.Cut(string(text), "# solver: ")
			diesOf(t, strings.Fields(on)[0], file, says)
		})
	}
}

var compileLine = regexp.MustCompile(`(?m)^   (cc .*) \*/$`)

// diesOf writes the C program of a trace, compiles it and runs it.
func diesOf(t *testing.T, library, file, says string) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("needs cc")
	}
	if found, err := script.Supply().Named(context.Background(), catalogue.Name{Solver: library, Mode: solvers.Native}); err != nil || found.Unusable != "" {
		t.Skipf("needs %s: %v", library, err)
	}
	var program, errs bytes.Buffer
	code := run(context.Background(), &command.Env{Stdin: strings.NewReader(""), Stdout: &program, Stderr: &errs}, []string{"trace", "c", file, "--api", library})
	require.Equal(t, command.ExitOK, code, errs.String())
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "trace.c"), program.Bytes(), 0o600))
	how := compileLine.FindSubmatch(program.Bytes())
	require.NotNil(t, how, program.String())
	compile := exec.Command("sh", "-c", string(how[1]))
	compile.Dir = dir
	said, err := compile.CombinedOutput()
	require.NoError(t, err, "%s: %s\n%s", cc, how[1], said)
	exe := exec.Command("./trace")
	exe.Dir = dir
	out, err := exe.CombinedOutput()
	require.Error(t, err, "the program came to its end:\n%s\n%s", out, program.String())
	require.Contains(t, string(out), says, program.String())
}

// useLibraries makes native targets of this process start this test, and goes to where .solvers is.
func useLibraries(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	native.Self = []string{exe, "native"}
	t.Cleanup(func() { native.Self = nil })
	t.Chdir(filepath.Join("..", ".."))
}
