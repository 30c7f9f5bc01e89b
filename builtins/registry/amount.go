package registry

import (
	"fmt"

	"go.starlark.net/starlark"
)

// amount is a type of times, sizes and numbers with a range. Parameters with the same meaning share one amount, so that
// all of them accept the same values and report the same error for others.
type amount struct {
	stub   string                            // how a .pyi stub spells the type
	phrase string                            // completes "want ..."
	fits   func(v starlark.Value) bool       // whether a value has the right kind: a text, a number
	wrong  func(v starlark.Value) (m string) // the error in a value of the right kind; "" if there is none
}

// maxWeight bounds weights, so that sums of them are finite.
const maxWeight = 1e300

var amounts = map[string]*amount{
	"duration": {
		stub: "str | int | float", phrase: `a duration ("90s", "8h", "2d" or seconds; not below 0)`,
		fits: func(v starlark.Value) bool { return isText(v) || isNumber(v) },
		wrong: func(v starlark.Value) string {
			if _, err := durationFrom(v); err != nil {
				return fmt.Sprintf("got %s, want %s", describe(v), wantDuration)
			}
			return ""
		},
	},
	"size": {
		stub: "str | int", phrase: `a size ("2GB", "500MB" or bytes; above 0)`,
		fits: func(v starlark.Value) bool { return isText(v) || isWhole(v) },
		wrong: func(v starlark.Value) string {
			if _, err := ToBytes(v); err != nil {
				return err.Error()
			}
			return ""
		},
	},
	"probability": {
		stub: "int | float", phrase: "a probability (0 to 1)", fits: isNumber,
		wrong: func(v starlark.Value) string {
			if f, _ := starlark.AsFloat(v); !(f >= 0 && f <= 1) {
				return fmt.Sprintf("%s is not between 0 and 1", abbreviate(v.String()))
			}
			return ""
		},
	},
	"weight": {
		stub: "int | float", phrase: "a weight (a number from 0 up)", fits: isNumber,
		wrong: func(v starlark.Value) string {
			if f, ok := starlark.AsFloat(v); !ok || !(f >= 0 && f <= maxWeight) {
				return fmt.Sprintf("%s is no weight: want a number from 0 up", abbreviate(v.String()))
			}
			return ""
		},
	},
	"count": {
		stub: "int", phrase: "a count (a whole number from 0 up)",
		fits: isWhole,
		wrong: func(v starlark.Value) string {
			i, _ := v.(starlark.Int)
			if i.Sign() < 0 {
				return fmt.Sprintf("%s is below 0", abbreviate(i.String()))
			}
			if _, fits := i.Int64(); !fits {
				return fmt.Sprintf("%s is out of range (64 bits)", abbreviate(i.String()))
			}
			return ""
		},
	},
}

// check reports why v is not a valid amount; it returns "" if v is valid.
func (a *amount) check(v starlark.Value) string {
	if !a.fits(v) {
		return fmt.Sprintf("got %s, want %s", describe(v), a.phrase)
	}
	return a.wrong(v)
}

func isText(v starlark.Value) bool { _, ok := v.(starlark.String); return ok }

func isWhole(v starlark.Value) bool { _, ok := v.(starlark.Int); return ok }

func isNumber(v starlark.Value) bool { _, ok := v.(starlark.Float); return ok || isWhole(v) }
