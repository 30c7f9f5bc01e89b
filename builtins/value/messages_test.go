package value_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestMessagesOfRandom: what an author reads of draws and seeds.
func TestMessagesOfRandom(t *testing.T) {
	scripttest.Messages(t, `r = rng(1)`, []scripttest.Message{
		{`rng("x")`, `rng: for parameter seed: got string "x", want int`},
		{`rng()`, `rng: missing argument for seed; usage: rng(seed)`},
		{`r.int(2, 1)`, `rng.int: for parameter hi: 1 is below lo = 2`},
		{`r.int(1)`, `rng.int: missing argument for hi; usage: rng.int(lo, hi)`},
		{`r.int("a", 1)`, `rng.int: for parameter lo: got string "a", want int`},
		{`r.int(1.5, 2)`, `rng.int: for parameter lo: got float 1.5, want int`},
		{`r.bool(2)`, `rng.bool: for parameter probability: 2 is not between 0 and 1`},
		{`r.bool(-0.1)`, `rng.bool: for parameter probability: -0.1 is not between 0 and 1`},
		{`r.bool("x")`, `rng.bool: for parameter probability: got string "x", want a probability (0 to 1)`},
		{`r.pick(1)`, `rng.pick: for parameter items: got int 1, want an iterable, such as a list`},
		{`r.sample([1], 2)`, `rng.sample: for parameter n: 2 is not between 0 and 1`},
		{`r.sample([1], -1)`, `rng.sample: for parameter n: -1 is not between 0 and 1`},
		{`r.sample(1, 1)`, `rng.sample: for parameter items: got int 1, want an iterable, such as a list`},
		{`r.shuffle(1)`, `rng.shuffle: for parameter items: got int 1, want a list; put it into a list: [...]`},
		{`r.shuffle("ab")`, `rng.shuffle: for parameter items: got string "ab", want a list; is ["ab"] meant?`},
		{`r.weighted([1])`, `rng.weighted: for parameter weights: got list, want a dict`},
		{`r.weighted({"a": -1})`, `rng.weighted: for parameter weights: the weight of "a" is -1, want a number from 0 up`},
		{`r.weighted({"a": "x"})`, `rng.weighted: for parameter weights: the weight of "a" is "x", want a number from 0 up`},
		{`r.split()`, `rng.split: missing argument for key; usage: rng.split(key)`},
		{`r.pikc([])`, `rng has no field or method 'pikc' (did you mean 'pick'?)`},
		{`r.turn()`, `invalid call of non-function (NoneType)`},
		{`r.float(1)`, `rng.float: got 1 positional argument, want 0; usage: rng.float()`},
		{`rng(1.5)`, `rng: for parameter seed: got float 1.5, want int`},
	})
}
