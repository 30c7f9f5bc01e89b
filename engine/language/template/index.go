package template

import (
	"errors"
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// ErrNone says that there are no sorts or no terms for the numbers.
var ErrNone = errors.New("there are no such sorts")

// IndexRange is a numeral that no sort determines, such as the distance of a rotation.
type IndexRange struct {
	Letter    byte // 'a' to 'z'
	Low, High smt.Numeral
	Text      string
}

// ParseIndexRange reads "lo..hi", bounds included, such as 0..m-1 or 1..2^m-1.
func ParseIndexRange(letter, text string) (IndexRange, error) {
	r := IndexRange{Text: text}
	if len(letter) != 1 || letter[0] < 'a' || letter[0] > 'z' {
		return r, fmt.Errorf("an index is named by one small letter, got %q", letter)
	}
	r.Letter = letter[0]
	for i := range len(text) - 1 {
		if text[i:i+2] == ".." {
			var err, err2 error
			r.Low, err = smt.ParseNumeral(text[:i])
			r.High, err2 = smt.ParseNumeral(text[i+2:])
			return r, errors.Join(err, err2)
		}
	}
	return r, fmt.Errorf("the range of index %s is %q, want LOW..HIGH as in 0..m-1", letter, text)
}
