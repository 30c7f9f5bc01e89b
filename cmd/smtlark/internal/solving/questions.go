package solving

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/ground/durable"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
	"github.com/smtlark/smtlark/solvers/process"
)

const (
	// mostQuestions bounds how many questions of one session become cases of a campaign.
	mostQuestions = 64
	// mostCrashes bounds how many of them are about crashes, so that a solver that always dies leaves room for wrong
	// answers.
	mostCrashes = 32
)

// questions are those of a session in which a solver was wrong or crashed: cases of a campaign, in a folder with its
// campaign file.
type questions struct {
	out     string // of findings
	folder  string // "" : there is none yet
	known   map[[sha256.Size]byte]bool
	crashes int
	left    int // questions beyond the bounds
}

// campaignName is the name of the campaign file.
const campaignName = "solve.star"

// campaignText is the campaign file, without its targets and the limits of a run.
const campaignText = `"""Questions of smtlark solve in which a solver was wrong or crashed: they become findings where they show it again."""

def question(seeds, rng):
    return seeds.next(rng)

QUESTIONS = corpus.files("*.smt2")

campaign(
    technique = question,
    seeds = QUESTIONS,
    targets = [
        %s,
    ],
    oracles = [oracle.crash(), oracle.known_answer(), oracle.agree(), oracle.model(), oracle.claims()],
    stop = stop.cases(len(QUESTIONS)),
    name = "solve",
    full_timeout = True,%s
)
`

// keep writes a question as a case of the campaign, with a remark in front, and returns its path; "" where it is there
// already, or there are too many. It is complete on the disk when keep returns, whatever ends the process then.
func (q *questions) keep(remark, text string, crashed bool, file func() string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	if q.known[sum] {
		return "", nil
	}
	if q.known == nil {
		q.known = map[[sha256.Size]byte]bool{}
	}
	q.known[sum] = true
	if crashed {
		q.crashes++
	}
	if len(q.known) > mostQuestions+q.left || crashed && q.crashes > mostCrashes {
		q.left++
		return "", nil
	}
	if q.folder == "" {
		if err := q.begin(file()); err != nil {
			return "", err
		}
	}
	name := fmt.Sprintf("%03d.smt2", len(q.known)-q.left)
	return filepath.Join(q.folder, name), q.write(name, remark+text)
}

// write writes a file of the folder atomically.
func (q *questions) write(name, text string) error {
	root, err := os.OpenRoot(q.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return durable.Replace(root, name, []byte(text), 0o644)
}

// begin makes the folder, whose number no other session has, with the campaign file.
func (q *questions) begin(file string) error {
	all := filepath.Join(q.out, "questions")
	if err := os.MkdirAll(all, 0o755); err != nil {
		return err
	}
	for n := 1; ; n++ {
		made := filepath.Join(all, strconv.Itoa(n))
		err := os.Mkdir(made, 0o755)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		q.folder = made
		return q.write(campaignName, file)
	}
}

// file is the path of the campaign file.
func (q *questions) file() string { return filepath.Join(q.folder, campaignName) }

// campaignFile returns the text of the campaign file. Programs are targets in modes fresh and incremental, since a bug
// seen in a session may also occur with a file.
func (s *solving) campaignFile() string {
	var targets []string
	for i, t := range s.targets {
		path, modes := "", []solvers.Mode{t.Mode()}
		if s.atPath[i] {
			path = t.Solver().Path
		}
		for _, mode := range []solvers.Mode{solvers.Fresh, solvers.Incremental} {
			if t.Mode() != solvers.Native && !slices.Contains(modes, mode) && slices.Contains(t.Solver().Modes(), mode) {
				modes = append(modes, mode)
			}
		}
		for _, mode := range modes {
			targets = append(targets, target.Expression("", path, t.Solver(), process.TargetOptions{Mode: mode, Limits: solvers.Limits{Memory: s.memory << 20}}))
		}
	}
	limits := ""
	if s.timeout > 0 {
		limits = fmt.Sprintf("\n    limits = {\"timeout\": %q},", s.timeout)
	}
	return fmt.Sprintf(campaignText, strings.Join(targets, ",\n        "), limits)
}

// settle runs the campaign, which confirms and reduces the questions that the session has kept, and returns the exit
// code. If a client waits for the end of the session, a background process runs the campaign instead, so that the
// client need not wait.
func (s *solving) settle(ctx context.Context, clientWaits bool) int {
	q := &s.kept
	if q.left > 0 {
		s.warn(fmt.Sprintf("%d more questions in which solvers were wrong or crashed were not kept: a session keeps %d, of these %d about crashes", q.left, mostQuestions, mostCrashes))
	}
	if q.folder == "" {
		return command.ExitOK
	}
	// Afresh: a folder of this number, and a campaign in it, may have been there before.
	args := []string{q.file(), "--out", q.out, "--seed", "1", "--fresh", "-j", "1", "-q"}
	if slices.Contains(s.atPath, true) { // who called this has named the programs in the file
		args = append(args, "--trust")
	}
	if confine.Current() == confine.None {
		args = append(args, "--unsafe-solver")
	}
	byHand := s.env.Program() + " run " + folder.ShellWord(q.file()) + " --out " + folder.ShellWord(q.out)
	switch {
	case ctx.Err() != nil && !clientWaits:
		s.warn("interrupted: the questions are kept, and " + byHand + " makes findings of them")
		return command.ExitOK
	case !clientWaits:
		quiet := *s.env
		quiet.Stdout = s.env.Stderr // the answers alone are for the standard output
		return command.Execute(ctx, &quiet, append([]string{"run"}, args...))
	}
	number, err := q.start(args)
	if err != nil {
		s.warn(err.Error() + "; " + byHand + " makes findings of the questions that are kept")
		return command.ExitDisk
	}
	s.warn(fmt.Sprintf("process %d makes findings of the questions in %s, below %s; its log is there, too", number, q.folder, filepath.Join(q.out, "findings")))
	return command.ExitOK
}

// start runs the campaign in a process that outlives this one, and returns its process ID. The output goes to a file in
// the folder.
func (q *questions) start(args []string) (number int, err error) {
	run, err := system.Self("run")
	if err != nil {
		return 0, err
	}
	log, err := os.Create(filepath.Join(q.folder, "log"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	cmd := exec.Command(run[0], append(run[1:], args...)...) // without a context, for it outlives all that is here
	cmd.Stdout, cmd.Stderr = log, log
	if err := system.StartDetached(cmd); err != nil {
		return 0, err
	}
	number = cmd.Process.Pid
	return number, cmd.Process.Release()
}
