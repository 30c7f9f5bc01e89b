package api_test

import (
	"github.com/smtlark/smtlark/engine/api"
	script "github.com/smtlark/smtlark/starlark"
)

func init() { api.StandardMachine = script.StandardMachine }
