package native

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
)

var updateDialogues = flag.Bool("update", false, "write what libraries reply into testdata")

// TestDialogues: each file of testdata is a dialogue with every library that its first line names. Behind a command
// stands the reply that is due, one line of comment, or "; ! class" where it is refused; lines "; KIND: ..." are of one
// library alone.
func TestDialogues(t *testing.T) {
	files, err := filepath.Glob("testdata/*.smt2")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".smt2"), func(t *testing.T) {
			d := readDialogue(t, file)
			ran := 0
			for _, s := range libraries(t, false) {
				if slices.Contains(d.kinds, s.Profile.Name) {
					ran++
					t.Run(s.Profile.Name, func(t *testing.T) { d.hold(t, s) })
				}
			}
			require.Positive(t, ran)
			if *updateDialogues {
				require.NoError(t, os.WriteFile(file, []byte(d.text()), 0o600))
			}
		})
	}
}

// dialogue is a script with the replies that are due.
type dialogue struct {
	head  string
	kinds []string
	parts []*dialoguePart
}

// dialoguePart is a command, or a line between commands, with what libraries say to it.
type dialoguePart struct {
	line int
	text string
	want map[string]string // by kind; "" is of all others
}

func readDialogue(t *testing.T, file string) *dialogue {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	kinds, ok := strings.CutPrefix(lines[0], "; for ")
	require.True(t, ok, "%s: the first line says for which libraries it is", file)
	d := &dialogue{head: lines[0], kinds: strings.Fields(kinds)}
	for i, line := range lines[1:] {
		reply, isReply := strings.CutPrefix(line, "; ")
		if !isReply {
			d.parts = append(d.parts, &dialoguePart{line: i + 2, text: line, want: map[string]string{}})
			continue
		}
		kind, rest, ok := strings.Cut(reply, ": ")
		if !ok || !slices.Contains(d.kinds, kind) {
			kind, rest = "", reply
		}
		d.parts[len(d.parts)-1].want[kind] = rest
	}
	return d
}

// text is the file of a dialogue.
func (d *dialogue) text() string {
	lines := []string{d.head}
	for _, p := range d.parts {
		lines = append(lines, p.text)
		replies := map[string]int{}
		for _, kind := range d.kinds {
			replies[p.want[kind]]++
		}
		// What most say stands without a name.
		most := slices.MaxFunc(d.kinds, func(a, b string) int { return cmp.Compare(replies[p.want[a]], replies[p.want[b]]) })
		for _, kind := range d.kinds {
			if reply := p.want[kind]; reply != p.want[most] {
				lines = append(lines, "; "+kind+": "+reply)
			}
		}
		if reply := p.want[most]; reply != "" {
			lines = append(lines, "; "+reply)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// script reads the commands.
func (d *dialogue) script(t *testing.T) *smtlib.Script {
	t.Helper()
	lines := []string{""} // the head: numbers of lines stay
	for _, p := range d.parts {
		for len(lines) < p.line-1 {
			lines = append(lines, "")
		}
		lines = append(lines, p.text)
	}
	script, err := smtlib.Parse("dialogue", []byte(strings.Join(lines, "\n")), smt.NewArena())
	require.NoError(t, err)
	return script
}

// hold says the commands to a library, one after the other, and compares its replies.
func (d *dialogue) hold(t *testing.T, s *solvers.Solver) {
	target := New(s, process.TargetOptions{SMTOptions: experimentalFormats(s)})
	defer target.Close()
	script := d.script(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	session, err := target.(solvers.Opener).Open(ctx, script.Arena, solvers.Limits{})
	require.NoError(t, err)
	defer session.Close()
	for i := range script.Commands {
		c := &script.Commands[i]
		part := d.parts[slices.IndexFunc(d.parts, func(p *dialoguePart) bool { return p.line == c.Pos.Line })]
		got := say(session, c)
		if *updateDialogues {
			part.want[s.Profile.Name] = got
			continue
		}
		want, own := part.want[s.Profile.Name]
		if !own {
			want = part.want[""]
		}
		require.Equal(t, want, got, "line %d: %s", part.line, part.text)
	}
}

// say has a session do a command and returns its reply on one line, "" for none.
func say(session solvers.Session, c *smtlib.Command) string {
	said, err := solvers.Say(context.Background(), session, *c)
	reply := strings.Join(strings.Fields(said.Text), " ")
	if c.Kind == smtlib.CmdCheckSat || c.Kind == smtlib.CmdCheckSatAssuming {
		reply = said.Answer.String()
	}
	var failed *solvers.SessionError
	if errors.As(err, &failed) {
		return "! " + failed.Class.String()
	}
	if err != nil {
		return "! " + err.Error()
	}
	return reply
}
