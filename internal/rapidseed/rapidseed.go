// Package rapidseed seeds the random values of package rapid with RAPID_SEED, if that is set. tools/test.sh sets it for
// the gate, whose result must not depend on chance; elsewhere each run draws other values. Every package whose tests
// use rapid imports it.
package rapidseed

import (
	"flag"
	"fmt"
	"os"

	_ "pgregory.net/rapid" // its flags come first
)

func init() {
	if seed := os.Getenv("RAPID_SEED"); seed != "" {
		if err := flag.Set("rapid.seed", seed); err != nil {
			panic(fmt.Sprintf("RAPID_SEED=%s: %s", seed, err))
		}
	}
}
