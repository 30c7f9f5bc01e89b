package native

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// TestProgramC checks that a trace becomes a C program for each library, which compiles without a header and prints the
// answers of the run.
func TestProgramC(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("needs cc")
	}
	text := []byte(`(set-option :produce-models true)
(set-option :produce-unsat-assumptions true)
(set-logic QF_AUFBV)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(declare-const p Bool)
(declare-fun f ((_ BitVec 8)) (_ BitVec 8))
(declare-const m (Array (_ BitVec 8) (_ BitVec 8)))
(assert (= (f (bvadd x #x01)) (select (store m y #x2a) x)))
(assert (=> p (bvult x ((_ zero_extend 4) ((_ extract 3 0) y)))))
(check-sat)
(push 1)
(assert (and (= x y) (distinct (f (bvadd x #x01)) #x2a)))
(check-sat)
(pop 1)
(assert (= x #xff))
(check-sat-assuming (p))
`)
	for _, s := range discovered() {
		if s.Unusable != "" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			program, err := ProgramC(context.Background(), s, text, nil)
			require.NoError(t, err)
			dir := t.TempDir()
			source, binary := filepath.Join(dir, "trace.c"), filepath.Join(dir, "trace")
			require.NoError(t, os.WriteFile(source, []byte(program), 0o600))
			cc, link := driver.CompileC(s.Library, source, binary)
			if link != "" {
				require.NoError(t, os.Symlink(cc[5], filepath.Join(dir, link)))
			}
			said, err := exec.Command(cc[0], cc[1:]...).CombinedOutput()
			require.NoError(t, err, "%s\n%s", said, program)
			out, err := exec.Command(binary).Output()
			require.NoError(t, err, program)
			var answers []string
			for _, line := range splitLines(string(out)) {
				if line == "sat" || line == "unsat" || line == "unknown" {
					answers = append(answers, line)
				}
			}
			require.Equal(t, []string{"sat", "unsat", "unsat"}, answers, program)
		})
	}
}

// TestProgramCOfACrash checks that the program has the calls before the crash.
func TestProgramCKeepsErrors(t *testing.T) {
	for _, s := range discovered() {
		if s.Unusable != "" || s.Profile.Name != "boolector" {
			continue
		}
		program, err := ProgramC(context.Background(), s, []byte("(declare-const x (_ BitVec 8))\n(assert (= x #x01))\n(check-sat)\n(get-value (x))\n"), nil)
		require.NoError(t, err)
		require.Contains(t, program, "boolector_sat(")
	}
}

// Names and texts of a trace stay in comments and literals of the C program.
func TestProgramCOfHostileNames(t *testing.T) {
	for _, s := range discovered() {
		if s.Unusable != "" {
			continue
		}
		name := "*/ evil(); /*\x1b\u202e\n\"); evil(); (\"??/"
		text := "(set-option :*/evil* 1)\n(set-info :source |" + name + "|)\n(set-logic QF_BV)\n(declare-const |" + name + "| (_ BitVec 8))\n(assert (= |" + name + "| #x01))\n(echo \"" + strings.ReplaceAll(name, "\"", "\"\"") + "\")\n(check-sat)\n"
		program, err := ProgramC(context.Background(), s, []byte(text), nil)
		require.NoError(t, err)
		require.Equal(t, display.Text(program), program)
		comments := regexp.MustCompile(`(?s)/\*.*?\*/`)
		literals := regexp.MustCompile(`"(\\.|[^"\\\n])*"`)
		require.NotContains(t, literals.ReplaceAllString(comments.ReplaceAllString(program, ""), `""`), "evil")
	}
}

func splitLines(s string) (lines []string) {
	for len(s) > 0 {
		i := 0
		for i < len(s) && s[i] != '\n' {
			i++
		}
		lines = append(lines, s[:i])
		s = s[min(i+1, len(s)):]
	}
	return lines
}
