package release

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fake modules of two solvers, with the parts that the SMT-LIB reader uses: each prints its input.
const (
	fakeBitwuzla = `
class BitwuzlaException(Exception): pass
class TermManager: pass
class Options:
    given = ()
    def set_args(self, *args):
        if "--nonsense" in args: raise BitwuzlaException("invalid option")
        self.given = args
def version(): return "0.10.0"
class Parser:
    def __init__(self, terms, options): self.options = options
    def parse(self, text, only, file):
        if "mistake" in text: raise BitwuzlaException("<string>:1:1: a mistake")
        import os
        os.write(1, ("<" + text.strip() + ">" + ",".join(self.options.given) + "\n").encode("latin-1"))
`
	fakeCvc5 = `
import re
__version__ = "1.4.2"
class TermManager: pass
class Solver:
    def __init__(self, terms): self.options = {}
    def setOption(self, name, value):
        if name == "nonsense": raise RuntimeError("unrecognized option")
        self.options[name] = value
class SymbolManager:
    def __init__(self, terms): self.declared = []
class InputLanguage: SMT_LIB_2_6 = 0
class Command:
    def __init__(self, text): self.text = text
    def isNull(self): return self.text is None
    def getCommandName(self): return re.match(r"\(([^\s()]+)", self.text).group(1)
    def invoke(self, solver, symbols):
        if "fails" in self.text: return '(error "it fails")\n'
        if "check-sat" in self.text: return "unknown (TIMEOUT)\n"
        symbols.declared.append(self.text)
        return "%d %s %s\n" % (len(symbols.declared), self.text, sorted(solver.options.items()))
class InputParser:
    def __init__(self, solver, symbols): pass
    def setStringInput(self, language, text, name): self.left = [text.strip()] if text.strip() else []
    def nextCommand(self):
        text = self.left.pop() if self.left else None
        if text and "mistake" in text: raise RuntimeError('a "mistake"')
        return Command(text)
`
)

// moduleFolder is a folder with a module and the reader.
func moduleFolder(t *testing.T, name, module string) (python, reader string) {
	t.Helper()
	python, _ = findPython(context.Background())
	if python == "" {
		require.Empty(t, os.Getenv("CI"), "python3 is required")
		t.Skip("no python3")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(module), 0o644))
	reader = filepath.Join(dir, readerFile)
	require.NoError(t, os.WriteFile(reader, []byte("#!"+python+"\n"+string(readerSource)), 0o755))
	return python, reader
}

// ask runs the reader on a text, and returns its output and exit code.
func askReader(t *testing.T, python, reader, text string, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := exec.Command(python, append([]string{"-I", "-B", reader}, args...)...)
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), &stderr
	said, err := cmd.Output()
	if err != nil {
		require.NotEqual(t, -1, cmd.ProcessState.ExitCode(), "%v", err)
	}
	return string(said), stderr.String(), cmd.ProcessState.ExitCode()
}

func TestReader(t *testing.T) {
	python, reader := moduleFolder(t, "bitwuzla.py", fakeBitwuzla)
	out, _, code := askReader(t, python, reader, "", "--version")
	require.Equal(t, "0.10.0\n", out)
	require.Zero(t, code)

	text := "; a comment (with \"signs |\n(a \"one \"\" (\" |two\n)|)(b)\n  (c (d) ; )\n) "
	want := "<; a comment (with \"signs |\n(a \"one \"\" (\" |two\n)|)>-x\n<(b)>-x\n<(c (d) ; )\n)>-x\n"
	out, errs, code := askReader(t, python, reader, text, "-x")
	require.Equal(t, want, out, errs)
	require.Zero(t, code)
	// Settings are passed on together with the next command, and echoes are printed at once.
	out, _, _ = askReader(t, python, reader, `(set-option :a true) (echo "x (y")(set-logic QF_BV)(a)(set-info :b 1)(reset)(set-option :c 1)(b)(reset)(set-option :d 1)`)
	require.Equal(t, "\"x (y\"\n<(set-option :a true)(set-logic QF_BV)(a)>\n<(set-info :b 1)>\n<(reset)(set-option :c 1)(b)>\n<(reset)(set-option :d 1)>\n", out)
	file := filepath.Join(t.TempDir(), "t.smt2")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	out, _, _ = askReader(t, python, reader, "", "-x", file)
	require.Equal(t, want, out)

	out, errs, code = askReader(t, python, reader, "(a)(mistake)(b)")
	require.Equal(t, "<(a)>\n", out)
	require.Equal(t, "[error] <string>:1:1: a mistake\n", errs)
	require.Equal(t, 1, code)
	out, _, code = askReader(t, python, reader, "(a)(exit)(b)")
	require.Equal(t, "<(a)>\n<(exit)>\n", out)
	require.Zero(t, code)
	_, errs, code = askReader(t, python, reader, "", "--nonsense")
	require.Equal(t, "[error] invalid option\n", errs)
	require.Equal(t, 1, code)
	_, errs, code = askReader(t, python, reader, "", "no-such-file")
	require.Contains(t, errs, "No such file")
	require.Equal(t, 1, code)
	out, _, _ = askReader(t, python, reader, "(a) (b") // it ends within a command, which the parser has to say
	require.Equal(t, "<(a)>\n<(b>\n", out)
}

// TestReaderRepliesAtOnce: a command is done when it is whole, wherever the pieces of the input end.
func TestReaderRepliesAtOnce(t *testing.T) {
	python, reader := moduleFolder(t, "bitwuzla.py", fakeBitwuzla)
	cmd := exec.Command(python, "-I", "-B", reader)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(pipe)
	for _, dialogue := range [][2]string{
		{"(a)", "<(a)>\n"}, {"(b \"x", ""}, {"y)\"", ""}, {" z)(c", "<(b \"xy)\" z)>\n"}, {")", "<(c)>\n"}, {"; half a comment", ""}, {" (\n(d)\n", "<; half a comment (\n"},
	} {
		_, err := io.WriteString(in, dialogue[0])
		require.NoError(t, err)
		if dialogue[1] != "" {
			line, err := lines.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, dialogue[1], line)
		}
	}
	require.NoError(t, in.Close())
	_, err = io.ReadAll(lines)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
}

func TestReaderOfCvc5(t *testing.T) {
	python, reader := moduleFolder(t, "cvc5/__init__.py", fakeCvc5)
	out, _, _ := askReader(t, python, reader, "", "--version")
	require.Regexp(t, `^This is cvc5 version 1\.4\.2\n`, out)
	out, errs, code := askReader(t, python, reader, "(a)(get-fails)(b)(reset)(c)(fails)(d)", "-q", "--lang=smt2", "--incremental", "--no-x", "--n=3")
	set := " [('incremental', 'true'), ('n', '3'), ('x', 'false')]\n"
	require.Equal(t, "1 (a)"+set+"(error \"it fails\")\n2 (b)"+set+"1 (c)"+set+"(error \"it fails\")\n", out, errs)
	require.Equal(t, 1, code)
	out, _, _ = askReader(t, python, reader, "(a)")
	require.Equal(t, "1 (a) [('incremental', 'false')]\n", out)
	out, _, _ = askReader(t, python, reader, "(check-sat)(check-sat-assuming (a))")
	require.Equal(t, "unknown\nunknown\n", out)
	out, _, code = askReader(t, python, reader, "(a mistake)")
	require.Equal(t, "(error \"Parse Error: <stdin>: a \"\"mistake\"\"\")\n", out)
	require.Equal(t, 1, code)
	_, errs, code = askReader(t, python, reader, "", "--nonsense")
	require.Contains(t, errs, "unrecognized option")
	require.Equal(t, 1, code)
}
