package fakesolver

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// onceFlag is the argument that names a command of which one process dies, and no other one of those that have the same
// argument. A front of a real solver takes it right behind frontFlag.
const onceFlag = "--once="

// once is one death, or one time that a process hangs, which a file remembers beyond the process.
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

// isDue reports whether the process is to die of a command, which it says to one process only.
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
