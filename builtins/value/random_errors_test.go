package value_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestErrors: what an author reads of a stream of random numbers that is used where or as it cannot be.
func TestErrors(t *testing.T) {
	scripttest.Errors(t, map[string]string{
		"items = [1, 2]\n[rng(1).shuffle(items) for i in items]": `shuffle a copy: rng.shuffle(list(items))`,
		`{rng(1): 2}`:                       `unhashable: rng`,
		`rng(1) + 1`:                        `unknown binary op: rng + int`,
		`rng(1).sample([], 1)`:              `rng.sample: for parameter n: 1 is not between 0 and 0`,
		"r = rng(1)\nr.int(r.int(5, 5), 4)": `rng.int: for parameter hi: 4 is below lo = 5`,
	})
}
