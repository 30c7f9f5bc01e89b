package member

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDivide(t *testing.T) {
	one, three, rests := claim{weight: 1}, claim{weight: 3}, claim{weight: 5, rests: true}
	for _, c := range []struct {
		workers int
		claims  []claim
		turn    int
		want    []int
	}{
		{4, []claim{one}, 0, []int{4}},
		{4, []claim{one, one}, 0, []int{2, 2}},
		{8, []claim{one, three}, 0, []int{2, 6}},
		{7, []claim{one, three}, 0, []int{2, 5}},
		{3, []claim{one, one}, 0, []int{2, 1}},
		{3, []claim{one, one}, 1, []int{1, 2}}, // another machine: the other one
		{1, []claim{one, one}, 0, []int{1, 0}},
		{1, []claim{one, one}, 1, []int{0, 1}},
		{8, []claim{one, rests, one}, 0, []int{4, 1, 3}},
		{1, []claim{one, rests}, 0, []int{1, 0}}, // nobody else is there to see whether it has something to do again: other machines are
		{4, []claim{rests, rests}, 0, []int{2, 2}},
		{4, nil, 0, []int{}},
	} {
		require.Equal(t, c.want, divide(c.workers, c.claims, c.turn), "%v", c)
	}
}
