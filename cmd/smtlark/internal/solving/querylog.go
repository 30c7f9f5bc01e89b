package solving

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// queryLine is a line of a log: a command, or the answer to the latest check.
type queryLine struct {
	Session string        `json:"session"`           // of which client
	Command string        `json:"command,omitempty"` // SMT-LIB, as the client wrote it
	Answer  *loggedAnswer `json:"answer,omitempty"`
}

// loggedAnswer has the outcome of a check.
type loggedAnswer struct {
	Answer     string  `json:"answer"` // sat, unsat or unknown
	Reason     string  `json:"reason,omitempty"`
	By         string  `json:"by,omitempty"`
	Seconds    float64 `json:"seconds"` // wall time
	Logic      string  `json:"logic,omitempty"`
	Assertions int     `json:"assertions"`
	Levels     int     `json:"levels,omitempty"`
}

// queryLog appends the dialogue between a client and a front end to a file: every command and every answer, with its
// time. Lines are written at once, and commands before they run, so the log of a killed process has the question that
// it died of. Several processes may write to one file.
type queryLog struct {
	file    *os.File
	session string
	failed  error // the first failure: then nothing more is written
}

// openQueryLog opens the log of a client in a file, which is made if it is not there.
func openQueryLog(path string) (*queryLog, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &queryLog{file: f, session: strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)}, nil
}

// Command notes a command that is about to be performed.
func (l *queryLog) Command(text []byte) { l.write(&queryLine{Command: string(text)}) }

// Answered notes the answer to the latest check.
func (l *queryLog) Answered(a *loggedAnswer) { l.write(&queryLine{Answer: a}) }

// write writes a line with one call: lines of several processes do not mix.
func (l *queryLog) write(x *queryLine) {
	if l.failed != nil {
		return
	}
	x.Session = l.session
	b, err := json.Marshal(x)
	if err == nil {
		_, err = l.file.Write(append(b, '\n'))
	}
	l.failed = err
}

// Close closes the file. The error is the first one of all that was written.
func (l *queryLog) Close() error { return errors.Join(l.failed, l.file.Close()) }

// loggedSession has the lines of one client, in its order.
type loggedSession struct {
	Name  string
	Lines []queryLine
}

// readQueryLog reads a log. The last line may be cut short, as a full disk or a power cut leaves it; then it is left
// out.
func readQueryLog(from io.Reader) (sessions []*loggedSession, err error) {
	byName := map[string]*loggedSession{}
	r := bufio.NewReader(from)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if err == io.EOF {
			return sessions, nil // the rest has no end of line
		}
		if err != nil {
			return nil, err
		}
		var x queryLine
		if err := json.Unmarshal(text, &x); err != nil {
			return nil, fmt.Errorf("line %d is no line of a query log: %w", n, err)
		}
		if x.Command == "" && x.Answer == nil {
			return nil, fmt.Errorf("line %d of the query log has neither a command nor an answer", n)
		}
		s := byName[x.Session]
		if s == nil {
			s = &loggedSession{Name: x.Session}
			byName[x.Session] = s
			sessions = append(sessions, s)
		}
		s.Lines = append(s.Lines, x)
	}
}
