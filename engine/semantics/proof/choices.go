package proof

// Choices lists the numbers for which claims about sorts with n numbers are checked: small ones, on which evaluation
// can be exhaustive, and those that occur in practice. If floats is set, the numbers are those of floating-point
// formats.
func Choices(n int, floats bool) [][]int64 {
	switch fp := floats; {
	case n == 0:
		return [][]int64{nil}
	case fp && n == 2:
		return [][]int64{{2, 2}, {2, 3}, {3, 3}, {3, 5}, {5, 11}, {8, 24}}
	case fp:
		out := [][]int64{}
		for _, w := range [][]int64{{2, 2, 3, 3, 2, 2}, {3, 3, 4, 5, 2, 2}, {5, 11, 8, 24, 2, 2}} {
			out = append(out, w[:n])
		}
		return out
	case n == 1:
		return [][]int64{{1}, {2}, {3}, {4}, {5}, {7}, {8}, {16}, {32}, {64}}
	}
	var out [][]int64
	for _, w := range []int64{1, 2, 3, 4, 8, 16} {
		for _, u := range []int64{1, 2, 3, 8} {
			x := make([]int64, n)
			for i := range x {
				x[i] = w
				if i > 0 {
					x[i] = u + int64(i-1)
				}
			}
			out = append(out, x)
		}
	}
	return out
}

// Primes lists the moduli of finite fields for which claims are checked: small ones, on which evaluation is exhaustive
// for two variables, and two that occur in practice, as far as the numbers of laws reach.
func Primes() [][]int64 {
	return [][]int64{{2}, {3}, {5}, {7}, {11}, {13}, {31}, {127}, {65537}, {2147483647}, {2305843009213693951}}
}
