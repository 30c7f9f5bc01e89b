package system

import (
	"cmp"
	"sync"
)

// Ends is an io.Writer that keeps the beginning and the end of its input. The zero value is ready. It is safe for
// concurrent use.
type Ends struct {
	Most int // bytes of each of the two; 0: 4 KiB

	mu   sync.Mutex
	head []byte
	end  []byte
	lost bool
}

// Write implements io.Writer.
func (t *Ends) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := cmp.Or(t.Most, 4<<10)
	n := min(len(b), most-len(t.head))
	t.head = append(t.head, b[:n]...)
	t.end = append(t.end, b[n:]...)
	if len(t.end) > 2*most {
		t.end = append(t.end[:0], t.end[len(t.end)-most:]...)
		t.lost = true
	}
	return len(b), nil
}

// String returns the kept text.
func (t *Ends) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost {
		return string(t.head) + "\n[...]\n" + string(t.end)
	}
	return string(t.head) + string(t.end)
}
