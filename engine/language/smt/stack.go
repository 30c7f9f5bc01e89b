package smt

// Levels are the open assertion levels of a problem (SMT-LIB 2.7, section 4.1.4), each with the number of items that
// there were when it was opened. The zero value has none open.
type Levels struct{ marks []int }

// Open returns the number of open levels.
func (l *Levels) Open() int { return len(l.marks) }

// Push opens n levels above a number of items.
func (l *Levels) Push(n, items int) {
	for range n {
		l.marks = append(l.marks, items)
	}
}

// Pop closes n levels and returns the number of items below them. ok is false, and nothing changes, where n is 0 or
// more than there are open.
func (l *Levels) Pop(n int) (items int, ok bool) {
	k := len(l.marks) - n
	if n <= 0 || k < 0 {
		return 0, false
	}
	items, l.marks = l.marks[k], l.marks[:k]
	return items, true
}

// Clear closes all levels.
func (l *Levels) Clear() { l.marks = l.marks[:0] }

// Stack is an assertion stack (SMT-LIB 2.7, section 4.1.4): items, such as assertions, in levels. The zero value is
// empty.
type Stack[T any] struct {
	items  []T
	levels Levels
}

// Items returns the items of all levels, the oldest first. They are valid until the next Pop or Clear.
func (s *Stack[T]) Items() []T { return s.items[:len(s.items):len(s.items)] }

// Len returns the number of items.
func (s *Stack[T]) Len() int { return len(s.items) }

// At returns item number i, from 0, the oldest one. The pointer is valid until the next Add, Pop or Clear.
func (s *Stack[T]) At(i int) *T { return &s.items[i] }

// Add adds items to the innermost level.
func (s *Stack[T]) Add(xs ...T) { s.items = append(s.items, xs...) }

// RemoveLatest takes back the item that was added last.
func (s *Stack[T]) RemoveLatest() { s.items = s.items[:len(s.items)-1] }

// Levels returns the number of open levels.
func (s *Stack[T]) Levels() int { return s.levels.Open() }

// Push opens n levels.
func (s *Stack[T]) Push(n int) { s.levels.Push(n, len(s.items)) }

// Pop closes n levels and returns their items, which are valid until the next Add. ok is false, and nothing changes,
// where fewer levels are open.
func (s *Stack[T]) Pop(n int) (gone []T, ok bool) {
	if n == 0 {
		return nil, true
	}
	to, ok := s.levels.Pop(n)
	if !ok {
		return nil, false
	}
	gone, s.items = s.items[to:], s.items[:to]
	return gone, true
}

// Clear closes all levels and drops all items.
func (s *Stack[T]) Clear() {
	s.levels.Clear()
	s.items = nil
}
