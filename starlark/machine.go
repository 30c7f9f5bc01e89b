package script

import (
	"context"

	"github.com/smtlark/smtlark/builtins/api"
	engine "github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/stdlib"
)

var standardMachine madeOnce[*engine.Machine]

// StandardMachine returns the state machine of SMT-LIB, which smtlib_api of @std//smtlib_api.star makes. It is made
// once: change only a copy of it.
func StandardMachine() (*engine.Machine, error) {
	return standardMachine.get("the machine of the library", makeStandardMachine)
}

func makeStandardMachine() (*engine.Machine, error) {
	reg, err := Registry()
	if err != nil {
		return nil, err
	}
	const file = "machine.star"
	src := NewSources(reg, stdlib.FS(), ".")
	src.SetText(file, []byte("load(\"@std//smtlib_api.star\", \"smtlib_api\")\n\nmachine = smtlib_api()\n"))
	globals, err := New(src, InterpreterOptions{Setup: Slots}).ExecText(context.Background(), Test, file)
	if err != nil {
		return nil, err
	}
	return api.MachineOf(globals["machine"])
}
