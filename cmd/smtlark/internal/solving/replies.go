package solving

import (
	"context"
	"fmt"

	"github.com/smtlark/smtlark/engine/judge/claim"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
)

// stepsOfProof is the number of steps of a proof that a solver is asked about: a client waits.
const stepsOfProof = 20

// confirmReply returns an error if the reply to a command is wrong, or if nothing confirms it. It says nothing about
// commands without a meaning here (claim.Commands), nor while the problem has commands that only a solver understands.
func (s *solving) confirmReply(ctx context.Context, f *frontend.FrontEnd, c *smtlib.Command, reply string) error {
	script := f.Question()
	run := &solvers.Run{Class: solvers.OK, Values: []string{reply}}
	run.Target = s.targets[0].Name()
	if result, valid := f.Latest(); valid {
		run.Target, run.Answers = result.By, []smtlib.Answer{result.Answer}
	} else {
		script = f.Stack().Script(nil)
		script.Commands = script.Commands[:len(script.Commands)-1] // the check-sat
	}
	script = script.WithCommands(append(script.Commands, *c))
	if !claim.Asks(script) || f.Stack().HasOwn("") {
		return nil
	}
	inquiry := &claim.Inquiry{Steps: stepsOfProof}
	for _, t := range s.targets {
		inquiry.Referees = append(inquiry.Referees, claim.RefereeOf(ctx, t, t.Name()))
	}
	for judged := range claim.Replies(ctx, &testcase.Case{Script: script}, run, inquiry) {
		wrong := judged.Wrong()
		switch {
		case wrong != "":
			s.tell(frontend.Event{Kind: frontend.Contradiction, Member: run.Target, Message: "its reply to " + c.CommandName() + " is wrong: " + wrong, Script: script})
			return fmt.Errorf("%s: the reply is wrong: %s", c.CommandName(), wrong)
		case judged.Open > 0 && judged.Statement.Inferences == 0:
			return fmt.Errorf("%s: the reply is kept back: no solver confirms %d of the %d conditions under which it is right",
				c.CommandName(), judged.Open, len(judged.Statement.Conditions))
		}
	}
	return nil
}
