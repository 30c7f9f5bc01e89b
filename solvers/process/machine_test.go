package process_test

import (
	"github.com/smtlark/smtlark/internal/standardmachine"
	script "github.com/smtlark/smtlark/starlark"
)

func init() { standardmachine.Made = script.StandardMachine }
