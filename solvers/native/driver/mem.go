package driver

import (
	"unsafe"
)

// Ref is an object of a library: a pointer or a number, as the library has it. 0 is none.
type Ref = uintptr

// Scratch is memory outside of Go's heap for what C reads and writes during one call of a session: argument arrays,
// strings, results by pointer. All of it is given back at the next call.
type Scratch struct {
	block []byte
	used  int
	large [][]byte // blocks that did not fit
}

const scratchSize = 1 << 20

// Reset frees all for the next call.
func (m *Scratch) Reset() {
	m.used = 0
	if Recording != nil {
		Recording.forgetScratch()
	}
	for _, b := range m.large {
		unmapMemory(b)
	}
	m.large = m.large[:0]
}

// Bytes returns n bytes, aligned for any type.
func (m *Scratch) Bytes(n int) []byte {
	b := m.allocate(n)
	if Recording != nil {
		Recording.noteAlloc(allocBytes, Address(b), n, "")
	}
	return b
}

func (m *Scratch) allocate(n int) []byte {
	if m.block == nil {
		m.block = MapMemory(scratchSize)
	}
	n = max(n, 1)
	if m.used+n > len(m.block) {
		b := MapMemory((n + 4095) &^ 4095)
		m.large = append(m.large, b)
		return b[:n]
	}
	b := m.block[m.used : m.used+n : m.used+n]
	m.used = (m.used + n + 15) &^ 15
	m.used = min(m.used, len(m.block))
	return b
}

// Address returns the address of the first byte.
func Address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// cString returns a C string.
func (m *Scratch) cString(s string) uintptr {
	b := m.allocate(len(s) + 1)
	copy(b, s)
	b[len(s)] = 0
	if Recording != nil {
		Recording.noteAlloc(allocText, Address(b), len(s)+1, s)
	}
	return Address(b)
}

// refArray returns an array of words; it is a valid address also for none.
func (m *Scratch) refArray(list []Ref) uintptr {
	b := m.allocate(8 * max(len(list), 1))
	if Recording != nil {
		Recording.noteAlloc(allocRefs, Address(b), len(list), "")
	}
	copy(unsafe.Slice((*Ref)(unsafe.Pointer(unsafe.SliceData(b))), len(list)), list)
	return Address(b)
}

// wordArray returns an array of 32-bit words.
func (m *Scratch) wordArray(list []uint32) uintptr {
	b := m.allocate(4 * max(len(list), 1))
	if Recording != nil {
		Recording.noteAlloc(allocU32s, Address(b), len(list), "")
	}
	copy(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(list)), list)
	return Address(b)
}

// Words returns n zeroed words for results.
func (m *Scratch) Words(n int) Out {
	b := m.allocate(8 * n)
	clear(b)
	if Recording != nil {
		Recording.noteAlloc(allocOut, Address(b), n, "")
	}
	return Out(Address(b))
}

// Out is the address of words that C writes.
type Out uintptr

// Addr returns the address to give to C.
func (o Out) Addr() uintptr { return uintptr(o) }

// At returns word i.
func (o Out) At(i int) uintptr { return WordAt(uintptr(o), i) }

// pointerOf turns an address of C into a Go pointer, which vet must not see as arithmetic on Go memory.
//
//go:nocheckptr
func pointerOf(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

//go:nocheckptr
func WordAt(p uintptr, i int) uintptr { return *(*uintptr)(unsafe.Add(pointerOf(p), 8*i)) }

//go:nocheckptr
func Word32At(p uintptr, offset int) uint32 { return *(*uint32)(unsafe.Add(pointerOf(p), offset)) }

//go:nocheckptr
func ByteAt(p uintptr, offset int) byte { return *(*byte)(unsafe.Add(pointerOf(p), offset)) }

// WordsAt copies n words.
func WordsAt(p uintptr, n int) []Ref {
	list := make([]Ref, n)
	for i := range list {
		list[i] = WordAt(p, i)
		if Recording != nil {
			Recording.noteElement(p, i, list[i])
		}
	}
	return list
}

// GoString copies a C string; the null pointer is "".
//
//go:nocheckptr
func GoString(p uintptr) string {
	if p == 0 {
		return ""
	}
	if Recording != nil {
		Recording.printText(p)
	}
	q := pointerOf(p)
	n := 0
	for *(*byte)(unsafe.Add(q, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(q), n))
}
