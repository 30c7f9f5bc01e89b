package native

import (
	"unsafe"
)

// ref is an object of a library: a pointer or a number, as the library has it. 0 is none.
type ref = uintptr

// scratch is memory outside of Go's heap for what C reads and writes during one call of a session: argument arrays,
// strings, results by pointer. All of it is given back at the next call.
type scratch struct {
	block []byte
	used  int
	large [][]byte // what did not fit
}

const scratchSize = 1 << 20

func (m *scratch) reset() {
	m.used = 0
	if recording != nil {
		recording.forget()
	}
	for _, b := range m.large {
		unmapMemory(b)
	}
	m.large = m.large[:0]
}

// bytes returns n bytes, aligned for any type.
func (m *scratch) bytes(n int) []byte {
	b := m.take(n)
	if recording != nil {
		recording.noteAlloc(allocBytes, address(b), n, "")
	}
	return b
}

func (m *scratch) take(n int) []byte {
	if m.block == nil {
		m.block = mapMemory(scratchSize)
	}
	n = max(n, 1)
	if m.used+n > len(m.block) {
		b := mapMemory((n + 4095) &^ 4095)
		m.large = append(m.large, b)
		return b[:n]
	}
	b := m.block[m.used : m.used+n : m.used+n]
	m.used = (m.used + n + 15) &^ 15
	m.used = min(m.used, len(m.block))
	return b
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// str returns a C string.
func (m *scratch) str(s string) uintptr {
	b := m.take(len(s) + 1)
	copy(b, s)
	b[len(s)] = 0
	if recording != nil {
		recording.noteAlloc(allocText, address(b), len(s)+1, s)
	}
	return address(b)
}

// refs returns an array of words; it is a valid address also for none.
func (m *scratch) refs(list []ref) uintptr {
	b := m.take(8 * max(len(list), 1))
	if recording != nil {
		recording.noteAlloc(allocRefs, address(b), len(list), "")
	}
	copy(unsafe.Slice((*ref)(unsafe.Pointer(unsafe.SliceData(b))), len(list)), list)
	return address(b)
}

// u32s returns an array of 32-bit words.
func (m *scratch) u32s(list []uint32) uintptr {
	b := m.take(4 * max(len(list), 1))
	if recording != nil {
		recording.noteAlloc(allocU32s, address(b), len(list), "")
	}
	copy(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), len(list)), list)
	return address(b)
}

// words returns n zeroed words for results.
func (m *scratch) words(n int) out {
	b := m.take(8 * n)
	clear(b)
	if recording != nil {
		recording.noteAlloc(allocOut, address(b), n, "")
	}
	return out(address(b))
}

// out is the address of words that C writes.
type out uintptr

func (o out) addr() uintptr { return uintptr(o) }

// at returns word i.
func (o out) at(i int) uintptr { return wordAt(uintptr(o), i) }

// pointer turns an address of C into a Go pointer, which vet must not see as arithmetic on Go memory.
//
//go:nocheckptr
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

//go:nocheckptr
func wordAt(p uintptr, i int) uintptr { return *(*uintptr)(unsafe.Add(pointer(p), 8*i)) }

//go:nocheckptr
func word32At(p uintptr, offset int) uint32 { return *(*uint32)(unsafe.Add(pointer(p), offset)) }

//go:nocheckptr
func byteAt(p uintptr, offset int) byte { return *(*byte)(unsafe.Add(pointer(p), offset)) }

// wordsAt copies n words.
func wordsAt(p uintptr, n int) []ref {
	list := make([]ref, n)
	for i := range list {
		list[i] = wordAt(p, i)
		if recording != nil {
			recording.element(p, i, list[i])
		}
	}
	return list
}

// goString copies a C string; the null pointer is "".
//
//go:nocheckptr
func goString(p uintptr) string {
	if p == 0 {
		return ""
	}
	if recording != nil {
		recording.printed(p)
	}
	q := pointer(p)
	n := 0
	for *(*byte)(unsafe.Add(q, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(q), n))
}
