package value

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smt"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// TestTables compares arrays over a finite sort with plain maps, whatever order of stores and default made them.
func TestTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := smt.NewArena()
		domains := NewDomains(a, nil)
		dom := domains.Of(a.BitVec(3))
		make := func(name string) (*Mapping, [8]int64) {
			var plain [8]int64
			def := rapid.Int64Range(0, 2).Draw(t, name)
			for i := range plain {
				plain[i] = def
			}
			tab := NewTable(dom, Int64(def))
			for range rapid.IntRange(0, 20).Draw(t, "stores") {
				i, v := rapid.Uint64Range(0, 7).Draw(t, "i"), rapid.Int64Range(0, 2).Draw(t, "v")
				plain[i] = v
				tab = tab.Put(dom.At(i), Int64(v))
			}
			return tab, plain
		}
		x, px := make("x")
		y, py := make("y")
		for i := range uint64(8) {
			require.Equal(t, px[i], x.Get(dom.At(i)).Small())
		}
		require.Equal(t, TruthOf(px == py), equalTables(x, y))
		require.Equal(t, px == py, compareTables(x, y) == 0)
		if px == py {
			require.Equal(t, x.contentHash(), y.contentHash())
		}
	})
}

// TestTrie compares with Go's map under stores and removals, also of keys with one hash.
func TestTrie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, plain := Map{}, map[int64]int64{}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			k, v := rapid.Int64Range(0, 60).Draw(t, "k"), rapid.Int64Range(0, 9).Draw(t, "v")
			if rapid.Bool().Draw(t, "remove") {
				tr = tr.remove(Int64(k))
				delete(plain, k)
			} else {
				tr = tr.Set(Int64(k), Int64(v))
				plain[k] = v
			}
		}
		require.Equal(t, len(plain), tr.n)
		seen := 0
		tr.Each(func(k, v Value) bool {
			seen++
			require.Equal(t, plain[k.Small()], v.Small())
			return true
		})
		require.Equal(t, len(plain), seen)
	})
	// Keys that collide.
	var leaf *trieLeaf
	for i := range int64(4) {
		leaf = leaf.without(Int64(i)).push(&trieLeaf{hash: 1, key: Int64(i), val: Int64(i)})
	}
	n := &trieNode{bitmap: 2, kids: []trieKid{{leaf: leaf}}}
	n = n.remove(0, 1, Int64(2))
	found := 0
	n.each(func(k, _ Value) bool { found++; return k.Small() != 2 })
	require.Equal(t, 3, found)
}
