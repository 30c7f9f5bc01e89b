package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/language/smtlib/scope"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register("check", newCheck)
}

const checkAbout = `Runs each solver on FILE, asks for a model after each sat and evaluates the assertions under the model, exactly. A
model is valid, invalid (the false assertion is printed with the values of its subterms), or undecided with the reason.
If a solver says unsat, a short search for a model tries to show that it is wrong. Replies to further questions of FILE (get-interpolant,
get-objectives and so on, see oracle.claims) are judged, too: what must hold of a reply is evaluated, and the other solvers are asked. So are
values that the assertions force, and replies to echo, get-option and (get-info :assertion-stack-levels). What the profile of a solver
leaves out of campaigns is named beside what is wrong.
With --proof PROOF, the proof in that file is judged in the place of solvers' answers: that its assumptions are assertions of FILE, that each
step follows from its premises, and that it ends in false. The formats are those of z3, Alethe, CPC (only the assumptions) and SMTInterpol.

Of several files, or of a folder with all that end in .smt2 below it, a line is printed for what is wrong or missing, and one that counts.

Exit codes: 0 nothing is wrong, 10 a model or a reply is wrong, an answer contradicts FILE's :status or a model, or a solver crashes, 65 FILE cannot be read or
asks nothing, 69 a solver is missing or does not start.`

type checkOptions struct {
	solvers []string
	timeout time.Duration
	memory  int64
	search  int
	proof   string
}

func newCheck(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "check FILE... [flags]",
		Short:   "let solvers solve an SMT-LIB file and check their models",
		Long:    checkAbout,
		GroupID: command.GroupCampaigns,
	}
	flags := c.Flags()
	o := &checkOptions{}
	command.SolverFlag(flags, &o.solvers, nil, "may be repeated; default: all that are installed")
	command.DurationFlag(flags, &o.timeout, "timeout", 10*time.Second, "`time` limit of a solver")
	flags.Int64Var(&o.memory, "memory", 0, "memory limit of a solver in `MiB`")
	flags.IntVar(&o.search, "search", 1000, "`steps` of the search for a model after unsat")
	flags.StringVar(&o.proof, "proof", "", "a `file` with a proof that FILE is unsatisfiable, to be judged")
	command.UnsafeFlag(flags)
	command.Does(c, func(ctx context.Context) int {
		switch {
		case flags.NArg() < 1:
			return e.UsageError("check", "want a file or a folder")
		case o.proof != "" && flags.NArg() != 1:
			return e.UsageError("check", "--proof is about one file")
		case o.timeout <= 0 || o.memory < 0 || o.search < 0:
			return e.UsageError("check", "times and limits are positive")
		}
		files, many, err := filesOf(e, flags.Args())
		if err != nil {
			return e.Fail(command.ExitScript, "check", err)
		}
		if len(o.solvers) == 0 {
			if o.solvers = installedNames(); len(o.solvers) == 0 && o.proof == "" {
				return e.Fail(command.ExitSolver, "check", errors.New("no usable solver was found; smtlark solvers tells why, --solver KIND=PATH names a program"))
			}
		}
		if many {
			return o.each(ctx, e, files)
		}
		s, err := readQuestion(files[0])
		if err != nil {
			return e.Fail(command.ExitScript, "check", err)
		}
		if o.proof != "" {
			return o.judgeProof(ctx, e, s)
		}
		code := command.ExitOK
		for _, name := range o.solvers {
			said, err := o.one(ctx, s, name)
			if err != nil {
				return e.Fail(command.ExitSolver, "check", err)
			}
			for _, line := range said {
				if line.wrong {
					code = command.ExitFindings
				}
				fmt.Fprintln(e.Stdout, line.text)
			}
		}
		return code
	})
	return c
}

// filesOf lists the files that arguments name, and reports whether they may be several.
func filesOf(e *command.Env, args []string) (files []string, many bool, err error) {
	for _, arg := range args {
		st, err := os.Stat(arg)
		if err != nil || !st.IsDir() { // any error is reported when the file is read
			files = append(files, arg)
			continue
		}
		many = true
		below, err := e.FilesBelow(arg)
		if err != nil {
			return nil, false, err
		}
		files = append(files, below...)
	}
	if len(files) == 0 {
		return nil, false, fmt.Errorf("%s: there is no file that ends in .smt2", strings.Join(args, ", "))
	}
	return files, many || len(files) > 1, nil
}

// readQuestion reads a file with a check-sat, or with assertions or questions for which one can be added.
func readQuestion(file string) (*smtlib.Script, error) {
	s, err := command.ReadProblem(file)
	if err != nil || s.CheckSats() > 0 || claim.Asks(s) {
		return s, err
	}
	if len(s.Asserts()) == 0 && !oracle.Talks(s) {
		hint := ""
		for i := range s.Commands {
			if c := &s.Commands[i]; c.Kind == smtlib.CmdOther {
				hint = fmt.Sprintf(" (%s is read by solvers only)", c.Name)
				break
			}
		}
		return nil, fmt.Errorf("%s: there is nothing to check: no check-sat, and no assertion to ask for%s", file, hint)
	}
	return s.WithCommands(append(s.Commands, smtlib.Command{Kind: smtlib.CmdCheckSat})), nil
}

// each checks several files, prints the error in each of them, and counts.
func (o *checkOptions) each(ctx context.Context, e *command.Env, files []string) int {
	code, unread := command.ExitOK, 0
	wrong, open := map[string]int{}, map[string]int{} // files, by solver
	for _, file := range files {
		s, err := readQuestion(file)
		if err != nil {
			unread++
			fmt.Fprintf(e.Stderr, "smtlark check: %s\n", display.Text(err.Error()))
			continue
		}
		for _, name := range o.solvers {
			said, err := o.one(ctx, s, name)
			if err != nil {
				return e.Fail(command.ExitSolver, "check", err)
			}
			isWrong, isOpen := false, false
			for _, line := range said {
				isWrong, isOpen = isWrong || line.wrong, isOpen || !line.decided
				if line.wrong || !line.decided {
					first, _, _ := strings.Cut(line.text, "\n")
					fmt.Fprintf(e.Stdout, "%s: %s\n", display.Line(file), first)
				}
			}
			switch {
			case isWrong:
				wrong[name]++
				code = command.ExitFindings
			case isOpen:
				open[name]++
			}
		}
		if ctx.Err() != nil {
			return e.Fail(command.ExitInternal, "check", ctx.Err())
		}
	}
	for _, name := range o.solvers {
		fmt.Fprintf(e.Stdout, "%s: %d files, %d wrong, %d without all answers, the rest right\n", display.Line(name), len(files)-unread, wrong[name], open[name])
	}
	if unread > 0 {
		fmt.Fprintf(e.Stdout, "%d files were not read\n", unread)
		code = max(code, command.ExitScript)
	}
	return code
}

// installedNames lists the solvers of this machine that read files.
func installedNames() (names []string) {
	found, err := script.Supply().Installed()
	if err != nil {
		return nil
	}
	for _, s := range found {
		if slices.Contains(s.Modes(), solvers.Fresh) {
			names = append(names, s.Name)
		}
	}
	return names
}

// said holds the remarks about one answer.
type said struct {
	text           string
	wrong, decided bool
}

// one runs a solver and comments on each of its answers.
func (o *checkOptions) one(ctx context.Context, s *smtlib.Script, name string) (out []said, err error) {
	target, err := command.TargetNamed(ctx, name, false, false, solvers.Limits{Wall: o.timeout, Memory: o.memory << 20})
	if err != nil {
		return nil, err
	}
	defer func() { _ = target.Close() }()
	query := solvers.FromScript(s)
	// Golem knows no get-model, and one that it refuses would stand where its proof is looked for.
	asksModels := !target.Solver().Profile.ProofsUnasked || !slices.ContainsFunc(s.Commands, func(c smtlib.Command) bool { return c.Kind == smtlib.CmdGetProof })
	if asksModels {
		query = query.WithModel()
	}
	run := target.Run(ctx, query, solvers.Limits{})
	if run.Class == solvers.StartFailure {
		return nil, errors.New(target.Name() + ": " + run.Message)
	}
	check, value, died := 0, 0, false
	all := eval.NewAllowance(eval.FileSteps / int64(len(o.solvers)))
	changes, statuses := meaning.OfScript(s), s.Statuses()
	for i := range s.Commands {
		c := &s.Commands[i]
		switch solvers.ReplyTo(c.Kind, c.Name) {
		case solvers.ValueReply:
			value++
			continue
		case solvers.NoReply:
			continue
		}
		answer, model := smtlib.None, ""
		if check < len(run.Answers) {
			answer = run.Answers[check]
		}
		if value < len(run.Values) {
			model = run.Values[value]
		}
		text, wrong := o.judge(s, check, answer, model, run.IsRounded(model), all, changes, statuses)
		if answer == smtlib.None {
			text, wrong = fmt.Sprintf("no answer (%v) %s", run.Class, run.Message), run.Class.IsBug()
			died = died || wrong
		}
		where := ""
		if s.CheckSats() > 1 {
			where = fmt.Sprintf(" check-sat %d:", check+1)
		}
		out = append(out, said{fmt.Sprintf("%s:%s %s", display.Line(target.Name()), where, display.Text(text)), wrong, answer.Decided()})
		check++
		if asksModels {
			value++
		}
	}
	switch {
	case len(out) == 0 && run.Class != solvers.OK:
		out = append(out, said{fmt.Sprintf("%s: no reply (%v) %s", display.Line(target.Name()), run.Class, display.Text(run.Message)), run.Class.IsBug(), false})
	case run.Class.IsBug() && !died:
		out = append(out, said{fmt.Sprintf("%s: dies after its last answer (%v) %s", display.Line(target.Name()), run.Class, display.Text(run.Message)), true, false})
	}
	for _, v := range oracle.KnownValue().Judge(&testcase.Case{Script: s}, []*solvers.Run{run}) {
		_, what, _ := strings.Cut(v.Summary, ": ") // after the name of the target
		out = append(out, said{fmt.Sprintf("%s: %s\n%s", display.Line(target.Name()), display.Text(what), display.Text(strings.TrimSpace(v.Detail))), true, true})
	}
	out = append(out, o.replies(ctx, s, target, run)...)
	if slices.ContainsFunc(out, func(x said) bool { return x.wrong }) {
		if why := leftOut(target.Solver(), s); why != "" {
			text := fmt.Sprintf("%s: before you report it: the profile of %s leaves this out in this release: %s",
				display.Line(target.Name()), target.Solver().Profile.Name, display.Text(why))
			out = append(out, said{text, false, true})
		}
	}
	return out, nil
}

// leftOut returns a feature of a script that the profile of a solver leaves out of campaigns; "" if there is none. The
// solver may document it as experimental, or print it by rules of its own.
func leftOut(solver *solvers.Solver, s *smtlib.Script) string {
	return target.AcceptanceOf([]*target.Solver{{Found: solver}}).Declines(s)
}

// replies comments on the replies of a target to questions whose properties are known. Other kinds of solvers are asked
// about them first.
func (o *checkOptions) replies(ctx context.Context, s *smtlib.Script, target solvers.Target, run *solvers.Run) (out []said) {
	if !claim.Asks(s) {
		return nil // no other solver is looked up for each file of a folder
	}
	referees, closeAll := o.referees(ctx, target.Solver().Profile.Name)
	defer closeAll()
	for reply := range claim.Replies(ctx, &testcase.Case{Script: s}, run, &claim.Inquiry{Referees: referees, Steps: checkSteps}) {
		at := s.Commands[reply.Question.Command].Pos
		text := fmt.Sprintf("%s: %s at %d:%d: %s", display.Line(run.Target), reply.Statement.Command, at.Line, at.Col, display.Text(commentOn(&reply)))
		out = append(out, said{text, reply.IsWrong(), reply.Open == 0})
	}
	return out
}

// referees returns the solvers that are asked about replies, those of one kind last, and a function that closes them.
func (o *checkOptions) referees(ctx context.Context, last string) (list []claim.Referee, closeAll func()) {
	var same []claim.Referee
	var targets []solvers.Target
	for _, name := range o.solvers {
		t, err := command.TargetNamed(ctx, name, false, false, solvers.Limits{Wall: o.timeout, Memory: o.memory << 20})
		if err != nil {
			continue // it has been reported, or will be
		}
		targets = append(targets, t)
		referee := claim.RefereeOf(ctx, t, name)
		if referee.Kind == last {
			same = append(same, referee)
		} else {
			list = append(list, referee)
		}
	}
	return append(list, same...), func() {
		for _, t := range targets {
			_ = t.Close()
		}
	}
}

// judgeProof judges a proof in a file that the last check of a script is unsatisfiable.
func (o *checkOptions) judgeProof(ctx context.Context, e *command.Env, s *smtlib.Script) int {
	text, err := system.ReadInput(o.proof)
	if err != nil {
		return e.Fail(command.ExitScript, "check", err)
	}
	proof := strings.TrimSpace(string(text))
	for _, word := range []string{"success", "unsat"} { // solvers print these before it
		proof = strings.TrimSpace(strings.TrimPrefix(proof, word))
	}
	asking := slices.DeleteFunc(slices.Clone(s.Commands), func(c smtlib.Command) bool {
		return solvers.ReplyTo(c.Kind, c.Name) == solvers.ValueReply || c.Kind == smtlib.CmdExit
	})
	if s.CheckSats() == 0 { // FILE asks something else only
		asking = append(asking, smtlib.Command{Kind: smtlib.CmdCheckSat})
	}
	s = s.WithCommands(append(asking, smtlib.Command{Kind: smtlib.CmdGetProof}))
	run := &solvers.Run{Target: o.proof, Class: solvers.OK, Values: []string{proof}, Answers: make([]smtlib.Answer, s.CheckSats())}
	run.Answers[len(run.Answers)-1] = smtlib.Unsat
	referees, closeAll := o.referees(ctx, "")
	defer closeAll()
	for reply := range claim.Replies(ctx, &testcase.Case{Script: s}, run, &claim.Inquiry{Referees: referees, Steps: checkSteps}) {
		fmt.Fprintf(e.Stdout, "%s: %s\n", display.Line(o.proof), display.Text(commentOn(&reply)))
		if reply.IsWrong() {
			return command.ExitFindings
		}
		return command.ExitOK
	}
	return e.Fail(command.ExitScript, "check", fmt.Errorf("%s: there is no proof here that can be read; want one of z3, Alethe, CPC or SMTInterpol", o.proof))
}

// checkSteps is the number of steps of a proof for each of which a search is made and solvers are asked.
const checkSteps = 200

// commentOn says whether a reply is right.
func commentOn(reply *claim.JudgedReply) string {
	switch {
	// A proof may be long, and is not printed.
	case reply.Refuted != nil && reply.Statement.Inferences > 0:
		return "the proof is wrong: " + reply.Refuted.Text()
	case reply.IsWrong() && reply.Statement.Command == "get-proof":
		return "the proof is wrong: " + reply.Wrong()
	case reply.Refuted != nil:
		return "the reply is wrong:\n" + reply.Statement.Reply + "\n" + reply.Refuted.Text()
	case reply.IsWrong():
		return "the reply is wrong: " + reply.Wrong() + "\n" + reply.Statement.Reply
	case reply.Statement.Inferences > 0:
		judged := min(checkSteps, reply.Statement.Steps)
		return fmt.Sprintf("no step is wrong: %d of %d steps were read and evaluated, %d of them searched, and %d of these confirmed by a solver",
			reply.Statement.Steps, reply.Statement.Inferences, judged, judged-reply.Open)
	case reply.Open > 0:
		return fmt.Sprintf("undecided: %d of %d conditions of the reply could be confirmed by no solver", reply.Open, len(reply.Statement.Conditions))
	}
	return "the reply is right"
}

// stepsOfCheck is the minimum cost of checking an answer, in steps of evaluation.
const stepsOfCheck = 1000

// judge comments on one answer and its model, and reports whether something is wrong. A model with rounded numbers
// cannot be.
func (o *checkOptions) judge(s *smtlib.Script, check int, answer smtlib.Answer, model string, rounded bool, all *eval.Allowance,
	changes *meaning.Changes, statuses []smtlib.Answer) (text string, wrong bool) {
	text = answer.String()
	const spent = "; not looked at: the budget of steps for the file is spent"
	over := all.Left() <= 0
	if over && !changes.None() { // what options touch takes a walk through all that is asserted
		return text + spent, false
	}
	status := smtlib.None
	if check < len(statuses) {
		status = statuses[check]
	}
	var asserts []smt.Term
	if !over {
		asserts = s.AssertsAt(check)
	}
	if why := changes.Why(s.Arena, asserts); why != "" && answer.Decided() {
		return text + "; undecided: " + why, false
	}
	if status.Decided() && answer.Decided() && status != answer {
		text, wrong = text+fmt.Sprintf(", but :status is %v", status), true
	}
	if over {
		return text + spent, wrong
	}
	all.Take(stepsOfCheck)
	switch answer {
	case smtlib.Sat:
		if why := changes.WhyModel(s.Arena, asserts); why != "" {
			return text + "; the model is undecided: " + why, wrong
		}
		m, err := modelreader.Parse(s, model)
		if err != nil {
			return text + "; " + err.Error(), wrong
		}
		ev := eval.New(s.Arena, m)
		ev.Limits.All, ev.Limits.Words = all, wordsOfFile
		v := eval.CheckTerms(ev, asserts)
		switch {
		case v.Result == value.False && rounded:
			return text + "; the model is undecided: the solver rounds irrational numbers to six places", wrong
		case v.Result == value.False:
			return text + "; the model is invalid: " + v.String(s.Arena), true
		case v.Result == value.Unknown:
			return text + "; the model is undecided: " + v.String(s.Arena), wrong
		case v.Completed:
			return text + "; the model is valid with default values for what it leaves open (" + v.Reason + ")", wrong
		}
		return text + "; the model is valid", wrong
	case smtlib.Unsat:
		if m, r := search.GuidedModelWithin(all, scope.WithAsserts(s, asserts), rng.New(1), o.search); r == value.True {
			return text + ", but there is a model:\n" + m.Text(), true
		}
	}
	return text, wrong
}
