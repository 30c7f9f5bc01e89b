package operator

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/smtlark/smtlark/engine/language/template"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

//go:embed proven.txt
var library string

// Proofs are those of operators: smtlark fusion check --record writes the library's.
var Proofs = proof.NewLedger("fusion", library)

// Key identifies the definition of an operator: its sorts, its indices and its terms for one choice of numbers. Proofs
// are recorded under it.
func (o *Operator) Key(env any) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%v\n", o.Name, o.Signature(), o.Assumed)
	rules := 0
	for _, w := range []int64{8, 5, 3} {
		for v := range 2 {
			b := o.sample(w)
			r, err := o.Rule(env, b, v)
			if err == template.ErrNone {
				continue
			}
			if err != nil {
				return "", err
			}
			r.hash(h)
			rules++
		}
	}
	if rules == 0 {
		return "", fmt.Errorf("operator %s: no choice of its numbers gives sorts", o.Name)
	}
	return hex.EncodeToString(h.Sum(nil))[:24], nil
}

// hash writes the structure of the rule's terms, which does not depend on how terms are printed.
func (r *Rule) hash(w io.Writer) {
	for i, t := range append([]*template.Template{r.Apply}, r.Inverse...) {
		fmt.Fprintf(w, "%s %d\n", r.Numbers, i)
		if t != nil {
			t.Hash(w)
		}
	}
}
