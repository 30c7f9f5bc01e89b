package learn

// Halve finds the items that make ask fail. It calls ask with many items at once. If that fails, it asks about each
// half, down to single items, which it passes to alone (group testing: Dorfman, "The Detection of Defective Members of
// Large Populations", 1943). ask returns the items of a part that are still open, perhaps fewer than given, and whether
// they failed. Parts keep the order of the items.
func Halve[T any](items []T, ask func(part []T) (open []T, failed bool), alone func(T)) {
	if len(items) == 0 {
		return
	}
	open, failed := ask(items)
	switch {
	case !failed || len(open) == 0:
	case len(open) == 1:
		alone(open[0])
	default:
		Halve(open[:len(open)/2], ask, alone)
		Halve(open[len(open)/2:], ask, alone)
	}
}
