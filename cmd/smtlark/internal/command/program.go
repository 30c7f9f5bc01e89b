package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/engine/ground/spelling"
)

// The headings of the help.
const (
	GroupCampaigns = "Find bugs"
	GroupScripts   = "Write campaign files"
	GroupOther     = "More"
)

// Groups are the headings of the help, in this order.
var Groups = []string{GroupCampaigns, GroupScripts, GroupOther}

// makers make the verbs, by name. A verb is made when it is needed: a worker does not need the flags of thirty others.
var makers = map[string]func(e *Env) *cobra.Command{}

// Register adds a verb; call it from init. The made command has a use line, such as "run FILE [flags]", a one-line
// summary (Short), a help text (Long), and an action (see Does).
func Register(name string, make func(e *Env) *cobra.Command) {
	if makers[name] != nil {
		panic("smtlark: two verbs are named " + name)
	}
	makers[name] = make
}

// rewriters change the arguments of verbs that accept flags of other programs.
var rewriters = map[string]func(args []string) ([]string, error){}

// hidden are the verbs that only smtlark itself starts, and speaks a protocol with.
var hidden = map[string]bool{}

// RegisterHidden adds a verb that no help or completion shows: only smtlark itself starts it, and speaks a protocol
// with it. Call it from init.
func RegisterHidden(name string, make func(e *Env) *cobra.Command) {
	Register(name, make)
	hidden[name] = true
}

// RewriteArguments sets a function that changes the arguments of a verb before they are parsed; its errors are usage
// errors.
func RewriteArguments(verb string, rewrite func(args []string) ([]string, error)) {
	rewriters[verb] = rewrite
}

// exits change the exit codes of verbs that take the place of other programs.
var exits = map[string]func(args []string, code int) int{}

// AdaptExit sets a function that changes every exit code of a verb.
func AdaptExit(verb string, adapt func(args []string, code int) int) { exits[verb] = adapt }

// exitCode is the error of a command that has already reported what went wrong.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Does sets the action of a command, called after its flags are parsed. The action returns an exit code.
func Does(c *cobra.Command, do func(ctx context.Context) int) {
	c.RunE = func(c *cobra.Command, _ []string) error {
		if code := do(c.Context()); code != ExitOK {
			return exitCode(code)
		}
		return nil
	}
}

// New makes a verb; nil if there is none of that name.
func New(e *Env, name string) *cobra.Command {
	if makers[name] == nil {
		return nil
	}
	c := makers[name](e)
	c.Hidden = hidden[name]
	prepare(e, c)
	if c.GroupID == "" {
		c.GroupID = GroupOther
	}
	return c
}

// prepare sets the common properties of a command and its subcommands.
func prepare(e *Env, c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs // each command reports errors in its arguments itself
	c.Flags().SortFlags = false
	c.InitDefaultHelpFlag()
	c.Flags().Lookup("help").Hidden = true
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return exitCode(e.wrongFlag(c, err)) })
	completeFlags(c)
	for _, below := range c.Commands() {
		prepare(e, below)
	}
}

// Names returns the sorted names of the verbs: all, or those that are not hidden.
func Names(all bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		if all || !hidden[name] {
			names = append(names, name)
		}
	}
	return names
}

// IsHidden reports whether a verb is one of RegisterHidden.
func IsHidden(name string) bool { return hidden[name] }

// Program makes the command of smtlark itself, with the verb of a name, "" for all.
func Program(e *Env, verb string) *cobra.Command {
	root := &cobra.Command{Use: "smtlark", SilenceErrors: true, SilenceUsage: true}
	prepare(e, root)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetIn(e.Stdin)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { e.help(c) })
	for _, g := range Groups {
		root.AddGroup(&cobra.Group{ID: g, Title: g})
	}
	Does(root, func(context.Context) int { return e.noVerb(root.Flags().Args()) })
	names := []string{verb}
	if verb == "" {
		names = Names(true)
	}
	for _, name := range names {
		c := New(e, name)
		root.AddCommand(c)
		if name == "help" {
			root.SetHelpCommand(c) // cobra would add one of its own
		}
	}
	return root
}

// Execute runs a command line and returns its exit code.
func Execute(ctx context.Context, e *Env, args []string) int {
	verb := ""
	if len(args) > 0 && makers[args[0]] != nil {
		verb = args[0]
	}
	if rewrite := rewriters[verb]; rewrite != nil {
		rest, err := rewrite(args[1:])
		if err != nil {
			return e.UsageError(verb, "%v", err)
		}
		args = append([]string{verb}, rest...)
	}
	code := run(ctx, e, verb, args)
	if adapt := exits[verb]; adapt != nil {
		return adapt(args, code)
	}
	return code
}

func run(ctx context.Context, e *Env, verb string, args []string) int {
	root := Program(e, verb)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &code):
		return int(code)
	}
	return e.UsageError("", "%v", err)
}

// help prints the help of a command.
func (e *Env) help(c *cobra.Command) {
	if !c.HasParent() {
		Overview(e.Stdout)
		return
	}
	fmt.Fprintf(e.Stdout, "Usage: %s %s\n\n%s\n", c.Parent().CommandPath(), c.Use, strings.TrimSpace(c.Long))
	if flags := c.Flags().FlagUsagesWrapped(100); flags != "" {
		fmt.Fprintf(e.Stdout, "\nFlags:\n%s", flags)
	}
}

// Overview writes the list of all verbs.
func Overview(w io.Writer) {
	fmt.Fprintf(w, "smtlark finds bugs in SMT solvers. A campaign is a Starlark file.\n\nUsage: smtlark VERB [FLAGS] [ARGUMENTS]\n")
	root := Program(&Env{}, "")
	for _, g := range Groups {
		var lines []string
		for _, c := range root.Commands() {
			if c.GroupID == g && !c.Hidden {
				lines = append(lines, fmt.Sprintf("  %-10s %s\n", c.Name(), c.Short))
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(w, "\n%s:\n%s", g, strings.Join(lines, ""))
		}
	}
	fmt.Fprintf(w, "\nsmtlark help VERB describes a verb.\n\nExit codes: %s\n", ExitCodesText)
}

// meant maps the names of other programs for a verb to ours.
var meant = map[string]string{
	"status": "smtlark findings or smtlark report", "summary": "smtlark findings or smtlark report",
	"list": "smtlark findings", "ls": "smtlark findings", "show": "smtlark findings show",
	"replay": "smtlark repro", "reproduce": "smtlark repro", "minimize": "smtlark reduce", "minimise": "smtlark reduce",
	"start": "smtlark run", "resume": "smtlark run", "init": "smtlark new", "options": "smtlark solvers",
}

// noVerb reports that a command line names no verb.
func (e *Env) noVerb(args []string) int {
	if len(args) == 0 {
		Overview(e.Stderr)
		return ExitUsage
	}
	return e.UnknownVerb(args[0])
}

// UnknownVerb reports that there is no verb of a name, and suggests which one may be meant.
func (e *Env) UnknownVerb(name string) int {
	names := Names(false)
	if strings.HasSuffix(name, ".star") {
		return e.UsageError("", "%q is a campaign file, not a verb (did you mean \"smtlark run %s\"?)", name, name)
	}
	if verbs := meant[name]; verbs != "" {
		return e.UsageError("", "no verb is named %q (did you mean %s?)", name, verbs)
	}
	if hint := spelling.Nearest(name, names); hint != "" {
		return e.UsageError("", "no verb is named %q (did you mean %q?)", name, hint)
	}
	return e.UsageError("", "no verb is named %q; the verbs are: %s", name, strings.Join(names, ", "))
}

// wrongFlag describes the error in a flag, and which may be meant.
func (e *Env) wrongFlag(c *cobra.Command, err error) int {
	msg := wrongValue(err)
	if name, ok := strings.CutPrefix(msg, "unknown flag: --"); ok {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		hint := flagsMeant[name]
		if !slices.Contains(names, hint) {
			hint = spelling.Nearest(name, names)
		}
		if hint != "" {
			msg += fmt.Sprintf(" (did you mean --%s?)", hint)
		}
	}
	verb := ""
	if c.HasParent() {
		verb = strings.TrimPrefix(c.CommandPath(), "smtlark ")
	}
	return e.UsageError(verb, "%s", msg)
}
