package normal

import "encoding/binary"

// content is the content of a node, a sort or an entity apart from its references: as a hash, and as text that says the
// same and nothing else does.
type content struct {
	key    Key
	text   []byte
	memory [48]byte // for the text, mostly
}

// part is a part of the text of a graph.
type part struct{ from, to int32 }

// begin starts with what kind of thing it is; what was said before is dropped.
func (c *content) begin(kind, n uint64) {
	c.key, c.text = Key{kind, n}, c.memory[:0]
	c.note(kind)
	c.note(n)
}

// Numbers and texts are told apart, so that no sequence of them reads like another.
const (
	noteNumber = 0
	noteText   = 1
)

// note goes on with a number in the text alone.
func (c *content) note(n uint64) { c.text = binary.AppendUvarint(append(c.text, noteNumber), n) }

// with goes on with a number.
func (c *content) with(n uint64) {
	c.key = c.key.With(n)
	c.note(n)
}

// withText goes on with a text.
func (c *content) withText(text string) {
	c.key = c.key.WithText(text)
	c.text = append(binary.AppendUvarint(append(c.text, noteText), uint64(len(text))), text...)
}

// record writes down what something says, if that is asked for.
func (g *graph) record(c *content) part {
	if !g.recorded {
		return part{}
	}
	from := int32(len(g.text))
	g.text = append(g.text, c.text...)
	return part{from, int32(len(g.text))}
}
