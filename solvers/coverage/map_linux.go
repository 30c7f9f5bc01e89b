package coverage

import (
	"fmt"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Map is the shared memory in which instrumented programs count their edges, of one program at a time.
type Map struct {
	id    int
	size  int
	bytes []byte
	words []uint64
}

// NewMap makes a map for a program that asks for so many bytes, see ParseSize.
//
// The map is marked for removal at once. Linux lets processes attach to it by its number while any process has it
// attached (shmctl(2)). It is removed when the last of them ends, however that happens.
func NewMap(size int) (*Map, error) {
	if size < 1 || size > MaxSize {
		return nil, fmt.Errorf("a map of %d edges; want 1 to %d", size, MaxSize)
	}
	const page = 1 << 12
	room := (size + page - 1) / page * page
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, room, unix.IPC_CREAT|0o600)
	if err != nil {
		return nil, fmt.Errorf("no shared memory for coverage: shmget of %d bytes: %w", room, err)
	}
	bytes, err := unix.SysvShmAttach(id, 0, 0)
	_, removeErr := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	if err != nil {
		return nil, fmt.Errorf("no shared memory for coverage: shmat: %w", err)
	}
	if removeErr != nil {
		_ = unix.SysvShmDetach(bytes)
		return nil, fmt.Errorf("shared memory for coverage cannot be marked for removal: %w", removeErr)
	}
	return &Map{id: id, size: size, bytes: bytes, words: unsafe.Slice((*uint64)(unsafe.Pointer(&bytes[0])),
		room/wordEdges)}, nil
}

// Environ returns the environment variables that make a program count in the map.
func (m *Map) Environ() []string {
	return []string{envMap() + "=" + strconv.Itoa(m.id), envSize + "=" + strconv.Itoa(len(m.bytes))}
}

// Size returns the number of possible edges.
func (m *Map) Size() int { return m.size }

// Clear forgets the counts.
func (m *Map) Clear() { clear(m.words) }

// Take reads the counts since it was last called or cleared, and clears it. Nothing may count in the map meanwhile.
func (m *Map) Take(into *Taken) { into.read.readAndClear(m.words) }

// Close gives the memory back.
func (m *Map) Close() error {
	if m.bytes == nil {
		return nil
	}
	bytes := m.bytes
	m.bytes, m.words = nil, nil
	return unix.SysvShmDetach(bytes)
}
