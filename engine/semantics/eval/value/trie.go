package value

import "math/bits"

// Map is a persistent map from values to values: a hash array mapped trie (Bagwell, "Ideal hash trees", 2001). Keys
// must be comparable, that is, not opaque.
type Map struct {
	root *trieNode
	n    int
}

type trieNode struct {
	bitmap uint32
	kids   []trieKid
}

type trieKid struct {
	sub  *trieNode
	leaf *trieLeaf
}

type trieLeaf struct {
	hash     uint64
	key, val Value
	next     *trieLeaf // another key of the same hash
}

const trieBits = 5

// Get returns the value that a key is bound to.
func (t Map) Get(key Value) (Value, bool) {
	if t.n == 0 {
		return Value{}, false
	}
	return t.find(key, key.hash())
}

func (t Map) find(key Value, h uint64) (Value, bool) {
	n := t.root
	for shift := uint(0); n != nil; shift += trieBits {
		bit := uint32(1) << (h >> shift & 31)
		if n.bitmap&bit == 0 {
			return Value{}, false
		}
		k := &n.kids[bits.OnesCount32(n.bitmap&(bit-1))]
		if k.leaf != nil {
			for l := k.leaf; l != nil; l = l.next {
				if l.hash == h && Equal(l.key, key) == True {
					return l.val, true
				}
			}
			return Value{}, false
		}
		n = k.sub
	}
	return Value{}, false
}

// Len returns the number of keys.
func (t Map) Len() int { return t.n }

// Set returns the map with key bound to val.
func (t Map) Set(key, val Value) Map {
	h := key.hash()
	if _, ok := t.find(key, h); !ok {
		t.n++
	}
	t.root = t.root.set(0, &trieLeaf{hash: h, key: key, val: val})
	return t
}

func (n *trieNode) set(shift uint, leaf *trieLeaf) *trieNode {
	bit := uint32(1) << (leaf.hash >> shift & 31)
	if n == nil {
		return &trieNode{bitmap: bit, kids: []trieKid{{leaf: leaf}}}
	}
	at := bits.OnesCount32(n.bitmap & (bit - 1))
	if n.bitmap&bit == 0 {
		kids := make([]trieKid, len(n.kids)+1)
		copy(kids, n.kids[:at])
		kids[at] = trieKid{leaf: leaf}
		copy(kids[at+1:], n.kids[at:])
		return &trieNode{n.bitmap | bit, kids}
	}
	kids := append([]trieKid(nil), n.kids...)
	old := kids[at]
	switch {
	case old.leaf == nil:
		kids[at] = trieKid{sub: old.sub.set(shift+trieBits, leaf)}
	case old.leaf.hash == leaf.hash:
		kids[at] = trieKid{leaf: old.leaf.without(leaf.key).push(leaf)}
	default:
		var sub *trieNode
		sub = sub.set(shift+trieBits, old.leaf)
		kids[at] = trieKid{sub: sub.set(shift+trieBits, leaf)}
	}
	return &trieNode{n.bitmap, kids}
}

// push puts leaf in front of the list l.
func (l *trieLeaf) push(leaf *trieLeaf) *trieLeaf {
	return &trieLeaf{hash: leaf.hash, key: leaf.key, val: leaf.val, next: l}
}

func (l *trieLeaf) without(key Value) *trieLeaf {
	if l == nil {
		return nil
	}
	if Equal(l.key, key) == True {
		return l.next
	}
	rest := l.next.without(key)
	if rest == l.next {
		return l
	}
	return &trieLeaf{l.hash, l.key, l.val, rest}
}

// remove returns the map without key.
func (t Map) remove(key Value) Map {
	h := key.hash()
	if _, ok := t.find(key, h); !ok {
		return t
	}
	t.n--
	t.root = t.root.remove(0, h, key)
	return t
}

func (n *trieNode) remove(shift uint, h uint64, key Value) *trieNode {
	bit := uint32(1) << (h >> shift & 31)
	at := bits.OnesCount32(n.bitmap & (bit - 1))
	old := n.kids[at]
	var now trieKid
	if old.leaf != nil {
		now.leaf = old.leaf.without(key)
	} else {
		now.sub = old.sub.remove(shift+trieBits, h, key)
	}
	if now.leaf != nil || now.sub != nil {
		kids := append([]trieKid(nil), n.kids...)
		kids[at] = now
		return &trieNode{n.bitmap, kids}
	}
	if len(n.kids) == 1 {
		return nil
	}
	kids := append(append([]trieKid(nil), n.kids[:at]...), n.kids[at+1:]...)
	return &trieNode{n.bitmap &^ bit, kids}
}

// Each visits the entries in an order that depends on the contents alone, up to keys of one hash; visit returns
// false to stop.
func (t Map) Each(visit func(key, val Value) bool) { t.root.each(visit) }

func (n *trieNode) each(visit func(key, val Value) bool) bool {
	if n == nil {
		return true
	}
	for i := range n.kids {
		for l := n.kids[i].leaf; l != nil; l = l.next {
			if !visit(l.key, l.val) {
				return false
			}
		}
		if !n.kids[i].sub.each(visit) {
			return false
		}
	}
	return true
}
