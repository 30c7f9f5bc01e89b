package fusion

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/generate/fusion/operator"
)

// proven refuses an operator without a proof on record, except while operators are being checked.
func (o *OperatorValue) proven(th *starlark.Thread) error {
	if _, err := CollectorKey.Get(th); err == nil || o.Op.Unproven || o.Op.Assumed {
		return nil
	}
	key, err := o.Key(th)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Where, err)
	}
	if operator.Proofs.Has(key) {
		return nil
	}
	return fmt.Errorf("operator %s (%s) is not proven: run smtlark fusion check on its file, or say proven = True to use it all the same", o.Op.Name, o.Where)
}

// Key identifies the operator's definition in records of proofs.
func (o *OperatorValue) Key(th *starlark.Thread) (string, error) { return o.Op.Key(th) }
