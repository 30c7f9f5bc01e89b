// Package coverage reads which edges of its control flow graph a solver took, if AFL++ has instrumented it. Such a
// program counts its edges in a map of one byte per edge, in the System V shared memory that the environment variable
// __AFL_SHM_ID names (AFL++, instrumentation/README.llvm.md). A Map is that memory; it is read and cleared between two
// cases, so that each case gets its own edges even if one process serves many cases.
package coverage

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Edge is an edge of a program together with how often it was taken: its number in the map, times eight, plus its
// bucket.
type Edge uint32

// Number is the number of the edge in the map.
func (e Edge) Number() int { return int(e >> 3) }

// Bucket says how often the edge was taken, in AFL's classes: 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127, and more.
func (e Edge) Bucket() int { return int(e & 7) }

// MaxSize bounds the size of a map in bytes: numbers of edges with buckets must fit into an Edge, and no solver needs a
// tenth of that.
const MaxSize = 1 << 28

// bucketBits has for each count the bit of its bucket; no bit for 0.
var bucketBits = func() (t [256]byte) {
	for n := 1; n < len(t); n++ {
		bucket := 0
		for _, least := range []int{2, 3, 4, 8, 16, 32, 128} {
			if n >= least {
				bucket++
			}
		}
		t[n] = 1 << bucket
	}
	return t
}()

// wordEdges is the number of edges that a word of a map counts, a byte each. In a set each of them has eight bits in
// one word.
const wordEdges = 8

// Seen is a set of edges with buckets. The zero value is empty.
type Seen struct {
	words []uint64 // bit e%64 of word e/64 is Edge e
	edges int
	pairs int
}

// Edges returns the number of edges in the set, however often they were taken.
func (s *Seen) Edges() int { return s.edges }

// Pairs returns the number of edges with buckets in the set.
func (s *Seen) Pairs() int { return s.pairs }

// Has reports whether an edge is in the set.
func (s *Seen) Has(e Edge) bool { return int(e/64) < len(s.words) && s.words[e/64]&(1<<(e%64)) != 0 }

// Takes reports whether the edge with a number is in the set, however often it was taken.
func (s *Seen) Takes(number int) bool {
	at := number / wordEdges
	return at < len(s.words) && s.words[at]>>(number%wordEdges*8)&0xff != 0
}

// Add puts edges into the set. It returns the number of new pairs of edge and bucket, and the number of edges that were
// new in every bucket.
func (s *Seen) Add(edges []Edge) (pairs, fresh int) {
	for _, e := range edges {
		at := int(e / 64)
		s.growTo(at + 1)
		if s.words[at]&(1<<(e%64)) != 0 {
			continue
		}
		if s.words[at]&(0xff<<(e%64/8*8)) == 0 {
			fresh++
		}
		s.words[at] |= 1 << (e % 64)
		pairs++
	}
	s.edges, s.pairs = s.edges+fresh, s.pairs+pairs
	return pairs, fresh
}

// growTo makes room for the edges of so many words.
func (s *Seen) growTo(words int) {
	if words > len(s.words) {
		s.words = append(s.words, make([]uint64, words-len(s.words))...)
	}
}

// All returns the edges of the set in their order.
func (s *Seen) All() []Edge {
	out := make([]Edge, 0, s.pairs)
	for at, w := range s.words {
		out = appendEdges(out, at, w)
	}
	return out
}

// Clone returns a copy.
func (s *Seen) Clone() *Seen { return &Seen{slices.Clone(s.words), s.edges, s.pairs} }

// Pack writes edges, which are in their order, as text.
func Pack(edges []Edge) string {
	b := make([]byte, 0, 2*len(edges))
	last := Edge(0)
	for _, e := range edges {
		b = binary.AppendUvarint(b, uint64(e-last))
		last = e
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// Unpack reads what Pack has written, of a program with so many edges.
func Unpack(text string, size int) ([]Edge, error) {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("edges of a program: %w", err)
	}
	var out []Edge
	for last := uint64(0); len(b) > 0; {
		step, n := binary.Uvarint(b)
		if n <= 0 || step >= 8*uint64(size) || last+step >= 8*uint64(size) || step == 0 && len(out) > 0 {
			return nil, fmt.Errorf("edges of a program: no edge of %d follows edge %d", size, last)
		}
		last, b = last+step, b[n:]
		out = append(out, Edge(last))
	}
	return out, nil
}

var (
	// ofProgram masks the first word of a map: its first byte is not an edge; AFL++'s runtime sets it at the start.
	ofProgram = binary.NativeEndian.Uint64([]byte{0, 255, 255, 255, 255, 255, 255, 255})
	bigEndian = binary.NativeEndian.Uint64([]byte{0, 0, 0, 0, 0, 0, 0, 1}) == 1
)

// reading has the content of a map: its words that are not 0, as words of a set.
type reading struct {
	at    []uint32
	words []uint64
}

// readAndClear reads the counts of a map and clears them. Words of zeros, which are nearly all, are skipped in blocks.
func (r *reading) readAndClear(words []uint64) {
	if cap(r.at) < len(words) {
		r.at, r.words = make([]uint32, len(words)), make([]uint64, len(words))
	}
	at, read, n := r.at[:len(words)], r.words[:len(words)], 0
	if len(words) > 0 {
		words[0] &= ofProgram
	}
	const block = 8
	i := 0
	for ; i+block <= len(words); i += block {
		w := (*[block]uint64)(words[i:])
		if w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7] == 0 {
			continue
		}
		for k := range w {
			if x := w[k]; x != 0 {
				w[k] = 0
				at[n], read[n] = uint32(i+k), bucketsOf(x)
				n++
			}
		}
	}
	for ; i < len(words); i++ {
		if x := words[i]; x != 0 {
			words[i] = 0
			at[n], read[n] = uint32(i), bucketsOf(x)
			n++
		}
	}
	r.at, r.words = at[:n], read[:n]
}

// edges returns the number of edges taken.
func (r *reading) edges() (n int) {
	for _, w := range r.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// beyond appends the edges that seen lacks, in their order.
func (r *reading) beyond(seen *Seen, out []Edge) []Edge {
	known := seen.words
	for i, at := range r.at {
		w := r.words[i]
		if int(at) < len(known) {
			w &^= known[at]
		}
		if w != 0 {
			out = appendEdges(out, int(at), w)
		}
	}
	return out
}

// bucketsOf returns the word of a set that has the edges of a word of a map.
func bucketsOf(x uint64) uint64 {
	if bigEndian {
		x = bits.ReverseBytes64(x)
	}
	t := &bucketBits
	return uint64(t[byte(x)]) | uint64(t[byte(x>>8)])<<8 | uint64(t[byte(x>>16)])<<16 | uint64(t[byte(x>>24)])<<24 |
		uint64(t[byte(x>>32)])<<32 | uint64(t[byte(x>>40)])<<40 | uint64(t[byte(x>>48)])<<48 | uint64(t[byte(x>>56)])<<56
}

func appendEdges(out []Edge, at int, w uint64) []Edge {
	for ; w != 0; w &= w - 1 {
		out = append(out, Edge(at*64+bits.TrailingZeros64(w)))
	}
	return out
}

// Taken has the edges that a run took of its program. It is valid until the next run of the target.
type Taken struct {
	read  reading
	fresh []Edge
}

// Edges returns the number of edges that the run took.
func (t *Taken) Edges() int { return t.read.edges() }

// All returns all edges that the run took, in their order.
func (t *Taken) All() []Edge { return t.read.beyond(&Seen{}, nil) }

// Beyond returns the edges that the run took and a set lacks, in their order. The next call takes the memory of the
// list.
func (t *Taken) Beyond(seen *Seen) []Edge {
	t.fresh = t.read.beyond(seen, t.fresh[:0])
	return t.fresh
}

// ErrUnavailable is the error of a system whose shared memory is not read.
var ErrUnavailable = errors.New("coverage of solvers is read on Linux only")
