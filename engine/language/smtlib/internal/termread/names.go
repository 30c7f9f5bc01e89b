package termread

import "github.com/smtlark/smtlark/engine/language/smt"

// NameID is the number of a name in a table of names.
type NameID uint32

// Reserved words that begin terms, and names that the parser handles specially.
const (
	spNone uint8 = iota
	spLet
	spForall
	spExists
	spLambda
	spAnnot
	spMatch
	spAs
	spUnderscore
	spPar
	spTrue
	spFalse
	spAt // application of a function value in cvc5
	spChoice
	spComprehension
)

var specials = map[string]uint8{
	"let": spLet, "forall": spForall, "exists": spExists, "lambda": spLambda, "!": spAnnot, "match": spMatch,
	"as": spAs, "_": spUnderscore, "par": spPar, "true": spTrue, "false": spFalse, "@": spAt,
	"choice": spChoice, "witness": spChoice, "set.comprehension": spComprehension,
}

// young reports whether a word has been reserved only since SMT-LIB 2.6 or 2.7, or only in one solver. Other scripts
// declare symbols of that name, and solvers accept them.
func young(special uint8) bool {
	return special == spLambda || special == spMatch || special == spPar || special >= spAt
}

// name is a symbol that occurred in a text, with its current meaning.
type name struct {
	text    string
	hash    uint32
	op      smt.Op
	special uint8
	word    uint8    // the meaning of the name to the owner of the table
	local   smt.Term // of a let or bound variable; 0 for none
	fun     int32    // one more than the place of its binding as a function or constant; 0 for none
	sort    int32    // the same for sorts
	lit     smt.Term
	litGen  uint32 // the parse that lit belongs to
}

// nameTable interns symbols. It outlives a parse: names and their entries in the operator table stay.
type nameTable struct {
	words map[string]uint8
	ents  []name
	tab   []uint32 // open addressing, power of two; one more than the index into ents
	bytes int
}

const (
	hashSeed  = 2166136261
	hashPrime = 16777619
)

func hashBytes(s []byte) uint32 {
	h := uint32(hashSeed)
	for _, c := range s {
		h = (h ^ uint32(c)) * hashPrime
	}
	return h
}

func newNameTable(words map[string]uint8) nameTable {
	return nameTable{words: words, tab: make([]uint32, 2048)}
}

// get returns the entry for a text with that hash, and makes it if it is new.
func (t *nameTable) get(text []byte, h uint32) NameID {
	mask := uint32(len(t.tab) - 1)
	i := (h ^ h>>15) & mask
	for ; t.tab[i] != 0; i = (i + 1) & mask {
		if e := &t.ents[t.tab[i]-1]; e.hash == h && e.text == string(text) {
			return NameID(t.tab[i] - 1)
		}
	}
	n := name{text: string(text), hash: h}
	n.op, _ = smt.LookupOp(n.text)
	n.special, n.word = specials[n.text], t.words[n.text]
	id := NameID(len(t.ents))
	t.ents = append(t.ents, n)
	t.bytes += len(text)
	t.tab[i] = uint32(id) + 1
	if len(t.ents)*2 > len(t.tab) {
		t.grow()
	}
	return id
}

func (t *nameTable) grow() {
	t.tab = make([]uint32, 2*len(t.tab))
	mask := uint32(len(t.tab) - 1)
	for id := range t.ents {
		h := t.ents[id].hash
		i := (h ^ h>>15) & mask
		for t.tab[i] != 0 {
			i = (i + 1) & mask
		}
		t.tab[i] = uint32(id) + 1
	}
}
