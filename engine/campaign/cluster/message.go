package cluster

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nats.go"
)

// Split compresses a text and splits it into messages that a server accepts. Each message has an id, so that a server
// accepts it only once even if it is published again.
func Split(subject, id string, header nats.Header, text []byte) []*nats.Msg {
	data := s2.Encode(nil, text)
	parts := max(1, (len(data)+MaxMessage-1)/MaxMessage)
	var out []*nats.Msg
	for i := range parts {
		m := nats.NewMsg(subject)
		for key, values := range header {
			m.Header[key] = values
		}
		m.Header.Set(HeaderParts, strconv.Itoa(parts))
		m.Header.Set(HeaderPart, strconv.Itoa(i))
		m.Header.Set(nats.MsgIdHdr, fmt.Sprintf("%s/%d", id, i))
		m.Data = data[i*MaxMessage : min(len(data), (i+1)*MaxMessage)]
		out = append(out, m)
	}
	return out
}

// These bound a message's text, packed and unpacked, in bytes: for messages of a coordinator, for the result of a job,
// and for messages between workers. A few hundred bytes may unpack to a gibibyte.
const (
	MaxText   = 1 << 28
	MaxResult = 64 << 20
	MaxLetter = 8 << 20
)

var (
	errPacked  = errors.New("a message that cannot be unpacked")
	errTooLong = errors.New("a message that is longer than any should be")
)

// Parts puts the parts of a message together again.
type Parts struct {
	max   int // bytes of the text
	parts [][]byte
	have  int
	bytes int // of the parts that are there
}

// NewParts returns an empty Parts for a text of at most max bytes.
func NewParts(max int) *Parts { return &Parts{max: max} }

// Bytes is the size of the parts that are there.
func (p *Parts) Bytes() int { return p.bytes }

// Add takes in a part and returns the text when it was the last one; nil before.
func (p *Parts) Add(header nats.Header, data []byte) ([]byte, error) {
	n, err := strconv.Atoi(header.Get(HeaderParts))
	if err != nil || n < 1 || n > p.max/MaxMessage+1 {
		return nil, fmt.Errorf("a message of %q parts", header.Get(HeaderParts))
	}
	i, err := strconv.Atoi(header.Get(HeaderPart))
	if err != nil || i < 0 || i >= n {
		return nil, fmt.Errorf("part %q of a message of %d", header.Get(HeaderPart), n)
	}
	if p.parts == nil {
		p.parts = make([][]byte, n)
	}
	if len(p.parts) != n {
		return nil, fmt.Errorf("a message of %d parts and of %d", len(p.parts), n)
	}
	if p.parts[i] == nil {
		p.parts[i] = data
		p.have++
		p.bytes += len(data)
	}
	if p.bytes > s2.MaxEncodedLen(p.max) {
		return nil, errTooLong
	}
	if p.have < n {
		return nil, nil
	}
	var whole []byte
	for _, part := range p.parts {
		whole = append(whole, part...)
	}
	switch size, err := s2.DecodedLen(whole); {
	case err != nil:
		return nil, errPacked
	case size > p.max:
		return nil, errTooLong
	}
	text, err := s2.Decode(nil, whole)
	if err != nil {
		return nil, errPacked
	}
	return text, nil
}
