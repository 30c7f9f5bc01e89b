package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/chzyer/readline"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/ground/display"
	script "github.com/smtlark/smtlark/starlark"
)

func init() {
	command.Register("repl", newREPL)
}

const replAbout = `Reads statements and expressions and prints the values of expressions. All builtins are there; with FILE, its
names too. help() lists all names, help(NAME) explains one, _ is the last value, Tab completes.
Control-C ends what is running, Control-D ends the session.

Exit codes: 0, or 65 when FILE could not be loaded.`

func newREPL(e *command.Env) *cobra.Command {
	c := &cobra.Command{
		Use:     "repl [FILE] [flags]",
		Short:   "try out the script API, with the names of a file",
		Long:    replAbout,
		GroupID: command.GroupScripts,
	}
	fs := c.Flags()
	var read []string
	command.ReadFlag(fs, &read)
	command.SafetyFlags(fs)
	command.Does(c, func(ctx context.Context) int {
		if fs.NArg() > 1 {
			return e.UsageError("repl", "want at most one file, got %d", fs.NArg())
		}
		if err := command.CheckFolders(read); err != nil {
			return e.UsageError("repl", "%v", err)
		}
		file := fs.Arg(0)
		anchor := file
		if anchor == "" {
			anchor = "x.star" // // then starts at the project of the working directory
		}
		src, err := command.SourcesFor(anchor)
		if err != nil {
			return e.Fail(command.ExitInternal, "repl", err)
		}
		in := script.New(src, script.InterpreterOptions{Setup: script.Slots, Stuck: e.Stuck, Folders: read, Print: func(msg string) { fmt.Fprintln(e.Stdout, display.Text(msg)) }})
		r := &script.REPL{In: in, Out: e.Stdout, Errors: e.Stderr, Context: interruptible}
		if file != "" {
			if r.Globals, err = in.Exec(ctx, script.Test, file); err != nil {
				return e.ScriptError(err)
			}
		}
		closeInput, err := setInput(e, r)
		if err != nil {
			return e.Fail(command.ExitInternal, "repl", err)
		}
		defer closeInput()
		// Interrupts belong to the evaluation that runs, not to the session.
		if err := r.Run(context.WithoutCancel(ctx)); err != nil {
			return e.Fail(command.ExitDisk, "repl", err)
		}
		return command.ExitOK
	})
	return c
}

// interruptible gives one evaluation a context that Control-C ends.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(parent, os.Interrupt)
}

// setInput chooses line editing on a terminal, and plain lines without a prompt otherwise.
func setInput(e *command.Env, r *script.REPL) (done func(), err error) {
	in, ok := e.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		lines := bufio.NewReader(e.Stdin)
		r.ReadLine = func(string) (string, error) {
			line, err := lines.ReadString('\n')
			if err == io.EOF && line != "" {
				return line, nil
			}
			if err != nil {
				return "", err
			}
			return line[:len(line)-1], nil
		}
		return func() {}, nil
	}
	editor, err := readline.NewEx(&readline.Config{AutoComplete: completer{r}, HistoryLimit: 1000})
	if err != nil {
		return nil, err
	}
	r.ReadLine = func(prompt string) (string, error) {
		editor.SetPrompt(prompt)
		line, err := editor.Readline()
		if errors.Is(err, readline.ErrInterrupt) {
			return "", script.ErrInterrupt
		}
		return line, err
	}
	return func() { _ = editor.Close() }, nil
}

// completer adapts the REPL's completion to the line editor.
type completer struct{ r *script.REPL }

// Do implements readline.AutoCompleter.
func (c completer) Do(line []rune, pos int) (completions [][]rune, length int) {
	rest, n := c.r.Complete(string(line[:pos]))
	for _, s := range rest {
		completions = append(completions, []rune(s))
	}
	return completions, n
}
