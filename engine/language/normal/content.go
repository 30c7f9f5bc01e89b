package normal

import "encoding/binary"

// content is the content of a node, a sort or an entity apart from its references: as a hash, and as a text that
// identifies it uniquely.
type content struct {
	key    Key
	text   []byte
	memory [48]byte // for the text, mostly
}

// part is a part of the text of a graph.
type part struct{ from, to int32 }

// begin starts new content of a kind and drops the previous content.
func (c *content) begin(kind, n uint64) {
	c.key, c.text = Key{kind, n}, c.memory[:0]
	c.note(kind)
	c.note(n)
}

// Numbers and texts have different tags, so that no two sequences of them look alike.
const (
	noteNumber = 0
	noteText   = 1
)

// note appends a number to the text only.
func (c *content) note(n uint64) { c.text = binary.AppendUvarint(append(c.text, noteNumber), n) }

// with appends a number.
func (c *content) with(n uint64) {
	c.key = c.key.With(n)
	c.note(n)
}

// withText appends a text.
func (c *content) withText(text string) {
	c.key = c.key.WithText(text)
	c.text = append(binary.AppendUvarint(append(c.text, noteText), uint64(len(text))), text...)
}

// record stores the text of the content, if texts are wanted.
func (g *graph) record(c *content) part {
	if !g.recorded {
		return part{}
	}
	from := int32(len(g.text))
	g.text = append(g.text, c.text...)
	return part{from, int32(len(g.text))}
}
