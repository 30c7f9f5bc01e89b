package native

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Most messages to a child are about runs, and JSON would cost as much as a small check. So these messages are packed:
// the byte packedMark, the fields in the order of packRequest or packReply and, in a request, the text of the script or
// trace. Numbers are written as unsigned variable-length integers of encoding/binary, texts as their length and their
// bytes.

// packedMark begins a packed message; one of JSON begins with a brace.
const packedMark = 1

// errPacked reports a packed message that is cut off.
var errPacked = errors.New("a packed message ends too early")

// The bits of the first number of a packed request.
const (
	packedTrace = 1 << iota
	packedModels
	packedCores
	packedPlain
	packedShares
	packedClock
)

// The bits of the first number of a packed reply.
const (
	packedLast = 1 << iota
	packedAlone
)

// isPacked reports whether a message is packed.
func isPacked(body []byte) bool { return len(body) > 0 && body[0] == packedMark }

// packRequest appends a request for a run, behind which its text is to follow.
func packRequest(out []byte, q *request) []byte {
	bits := flagIf(q.Trace, packedTrace) | flagIf(q.Models, packedModels) | flagIf(q.Cores, packedCores) | flagIf(q.Plain,
		packedPlain) |
		flagIf(q.Shares, packedShares) | flagIf(q.Clock, packedClock)
	out = append(out, packedMark)
	for _, n := range [...]uint64{bits, uint64(q.Wall), uint64(q.Budget), uint64(q.TimeLimit), q.Resources,
		uint64(len(q.Options))} {
		out = binary.AppendUvarint(out, n)
	}
	for _, o := range q.Options {
		out = appendText(appendText(out, o.Name), o.Value)
	}
	out = binary.AppendUvarint(out, uint64(len(q.When)))
	for at, answer := range q.When {
		out = appendText(binary.AppendUvarint(out, uint64(at)), answer)
	}
	return out
}

// unpackRequest reads a packed request and returns it with its text.
func unpackRequest(body []byte) (*request, []byte, error) {
	u := unpacker{rest: body[1:]}
	bits := u.number()
	q := &request{Op: "run", Trace: bits&packedTrace != 0, Models: bits&packedModels != 0, Cores: bits&packedCores != 0,
		Plain: bits&packedPlain != 0, Shares: bits&packedShares != 0, Clock: bits&packedClock != 0}
	q.Wall, q.Budget, q.TimeLimit = time.Duration(u.number()), time.Duration(u.number()), time.Duration(u.number())
	q.Resources = u.number()
	for range u.count() {
		q.Options = append(q.Options, setting2{Name: u.text(), Value: u.text()})
	}
	if n := u.count(); n > 0 {
		q.When = make(map[int]string, n)
		for range n {
			at := int(u.number())
			q.When[at] = u.text()
		}
	}
	return q, u.rest, u.err
}

// packReply appends the reply to a run.
func packReply(out []byte, a *reply) []byte {
	out = append(out, packedMark)
	for _, n := range [...]uint64{flagIf(a.Last, packedLast) | flagIf(a.Alone, packedAlone), uint64(a.Class), a.Calls,
		uint64(a.Inside)} {
		out = binary.AppendUvarint(out, n)
	}
	out = appendText(appendText(out, a.Message), a.Stderr)
	out = binary.AppendUvarint(out, uint64(len(a.Answers)))
	for _, answer := range a.Answers {
		out = append(out, byte(answer))
	}
	out = binary.AppendUvarint(out, uint64(len(a.Values)))
	for _, text := range a.Values {
		out = appendText(out, text)
	}
	out = binary.AppendUvarint(out, uint64(len(a.Failed)))
	for _, f := range a.Failed {
		out = append(appendText(out, f.Message), byte(f.Want))
	}
	return out
}

// unpackReply reads a packed reply.
func unpackReply(body []byte) (*reply, error) {
	u := unpacker{rest: body[1:]}
	bits := u.number()
	a := &reply{Last: bits&packedLast != 0, Alone: bits&packedAlone != 0, Class: solvers.Class(u.number()),
		Calls: u.number(), Inside: time.Duration(u.number())}
	a.Message, a.Stderr = u.text(), u.text()
	for range u.count() {
		a.Answers = append(a.Answers, smtlib.Answer(u.octet()))
	}
	for range u.count() {
		a.Values = append(a.Values, u.text())
	}
	for range u.count() {
		a.Failed = append(a.Failed, solvers.Failure{Message: u.text(), Want: smtlib.Answer(u.octet())})
	}
	if u.err == nil && len(u.rest) > 0 {
		u.err = errors.New("a packed message goes on behind its end")
	}
	return a, u.err
}

func flagIf(on bool, bit uint64) uint64 {
	if on {
		return bit
	}
	return 0
}

func appendText(out []byte, text string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}

// unpacker reads the fields of a packed message. A child that its library has damaged may write anything, so malformed
// data is an error.
type unpacker struct {
	rest []byte
	err  error
}

func (u *unpacker) number() uint64 {
	n, size := binary.Uvarint(u.rest)
	if size <= 0 {
		u.err, u.rest = errPacked, nil
		return 0
	}
	u.rest = u.rest[size:]
	return n
}

// count reads the length of a list, whose elements take a byte each at least.
func (u *unpacker) count() int {
	n := u.number()
	if n > uint64(len(u.rest)) {
		u.err, u.rest = errPacked, nil
		return 0
	}
	return int(n)
}

func (u *unpacker) octet() byte {
	if len(u.rest) == 0 {
		u.err = errPacked
		return 0
	}
	b := u.rest[0]
	u.rest = u.rest[1:]
	return b
}

func (u *unpacker) text() string {
	n := u.count()
	text := string(u.rest[:n])
	u.rest = u.rest[n:]
	return text
}
