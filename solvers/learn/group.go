package learn

// Halve finds out which of some items do not stand what ask says of many at once: where a part of them fails, its
// halves are asked about, down to single ones, which go to alone (group testing: Dorfman, "The Detection of Defective
// Members of Large Populations", 1943). ask returns what is left to be asked about of a part, which may be less than
// was given, and whether that failed. Parts keep the order of the items.
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
