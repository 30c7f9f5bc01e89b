package smt

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStack: a stack is a list of lists, of which a pop drops the last ones; a pop of more than there are changes
// nothing.
func TestStack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Stack[int]
		model := [][]int{nil}
		for i := range rapid.IntRange(0, 40).Draw(t, "steps") {
			n := rapid.IntRange(0, 3).Draw(t, "n")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				s.Add(i)
				model[len(model)-1] = append(model[len(model)-1], i)
			case 2:
				s.Push(n)
				model = append(model, make([][]int, n)...)
			case 3:
				gone, ok := s.Pop(n)
				require.Equal(t, n < len(model), ok)
				if ok {
					require.Equal(t, flat(model[len(model)-n:]), append([]int{}, gone...))
					model = model[:len(model)-n]
				}
			case 4:
				if n == 0 {
					s.Clear()
					model = [][]int{nil}
				}
			}
			require.Equal(t, flat(model), append([]int{}, s.Items()...))
			require.Equal(t, len(model)-1, s.Levels())
		}
	})
}

func flat(levels [][]int) []int {
	out := []int{}
	for _, items := range levels {
		out = append(out, items...)
	}
	return out
}
