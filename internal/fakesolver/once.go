package fakesolver

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// onceFlag is the argument that names a command at which only one of the processes with this argument dies. A front of
// a real solver takes it right behind frontFlag.
const onceFlag = "--once="

// once is a single death or hang of a process. A file records that it has happened.
type once struct {
	command string
	at      int // which one of its kind in a process, from 1
	file    string
	hangs   bool // in place of dying
	seen    int
}

// parseOnce reads COMMAND@N:FILE, with :hang behind it for a process that hangs.
func parseOnce(text string) (*once, error) {
	what, file, _ := strings.Cut(text, ":")
	file, hangs := strings.CutSuffix(file, ":hang")
	command, number, _ := strings.Cut(what, "@")
	at, err := strconv.Atoi(number)
	if err != nil || command == "" || file == "" {
		return nil, fmt.Errorf("%s%s: want COMMAND@N:FILE[:hang]", onceFlag, text)
	}
	return &once{command: command, at: at, file: file, hangs: hangs}, nil
}

// isDue reports whether the process must die at a command. It returns true in one process only.
func (o *once) isDue(text string) bool {
	words := strings.Fields(strings.Trim(text, "()"))
	if o == nil || len(words) == 0 || words[0] != o.command {
		return false
	}
	if o.seen++; o.seen != o.at {
		return false
	}
	file, err := os.OpenFile(o.file, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false // one has died before
	}
	_ = file.Close()
	return true
}
