package metrics

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

const answerLetters = "-suk" // by smtlib.Answer

// runCode is the part of a run that statistics need.
type runCode struct {
	Class     solvers.Class
	Answers   string // a letter of answerLetters for each check-sat
	CPU, Wall time.Duration
}

// notAskedCode stands for the run of a target that was not asked.
const notAskedCode = "-"

// AppendRunCodes writes runs in short form; nil is one of a target that was not asked.
func AppendRunCodes(b []byte, runs []*solvers.Run) []byte {
	for i, run := range runs {
		if i > 0 {
			b = append(b, ' ')
		}
		if run == nil {
			b = append(b, notAskedCode...)
		} else {
			b = appendRunCode(b, run)
		}
	}
	return b
}

// appendRunCode writes a run in short form: class:answers:cpu:wall with times in microseconds, runs separated by
// blanks.
func appendRunCode(b []byte, r *solvers.Run) []byte {
	b = strconv.AppendUint(b, uint64(r.Class), 10)
	b = append(b, ':')
	for _, a := range r.Answers {
		if int(a) < len(answerLetters) {
			b = append(b, answerLetters[a])
		}
	}
	b = append(b, ':')
	b = strconv.AppendInt(b, r.CPU.Microseconds(), 10)
	b = append(b, ':')
	return strconv.AppendInt(b, r.Wall.Microseconds(), 10)
}

var errRunCode = errors.New("malformed run")

// ParseRunCodes reads want runs in short form. Those of targets that were not asked have no class.
func ParseRunCodes(s string, want int) ([]runCode, error) {
	out := make([]runCode, 0, want)
	for s != "" {
		var one string
		one, s, _ = strings.Cut(s, " ")
		if one == notAskedCode && len(out) < want {
			out = append(out, runCode{})
			continue
		}
		class, rest, ok1 := strings.Cut(one, ":")
		answers, rest, ok2 := strings.Cut(rest, ":")
		cpu, wall, ok3 := strings.Cut(rest, ":")
		c, err1 := strconv.ParseUint(class, 10, 8)
		cpuN, err2 := strconv.ParseInt(cpu, 10, 64)
		wallN, err3 := strconv.ParseInt(wall, 10, 64)
		if !ok1 || !ok2 || !ok3 || err1 != nil || err2 != nil || err3 != nil || int(c) > len(solvers.Classes()) || c == 0 ||
			strings.Trim(answers, answerLetters) != "" || len(out) == want {
			return nil, errRunCode
		}
		out = append(out, runCode{solvers.Class(c), answers, time.Duration(cpuN) * time.Microsecond, time.Duration(wallN) * time.Microsecond})
	}
	if len(out) != want {
		return nil, errRunCode
	}
	return out, nil
}

// LetterAnswer returns the answer that a letter stands for.
func LetterAnswer(c byte) smtlib.Answer { return smtlib.Answer(strings.IndexByte(answerLetters, c)) }
