package script

import (
	"context"
	"fmt"
	"sync"

	"github.com/smtlark/smtlark/builtins/api"
	engine "github.com/smtlark/smtlark/engine/api"
	"github.com/smtlark/smtlark/stdlib"
)

// standardMachine is made once; copies are changed.
var standardMachine struct {
	sync.Once
	m   *engine.Machine
	err error
}

// StandardMachine returns the state machine of SMT-LIB, which smtlib_api of @std//smtlib_api.star makes. Do not change it.
func StandardMachine() (*engine.Machine, error) {
	s := &standardMachine
	s.Do(func() {
		if s.m, s.err = makeStandardMachine(); s.err != nil {
			s.err = fmt.Errorf("the machine of the library: %w", s.err)
		}
	})
	return s.m, s.err
}

func makeStandardMachine() (*engine.Machine, error) {
	reg, err := Registry()
	if err != nil {
		return nil, err
	}
	const file = "machine.star"
	src := NewSources(reg, stdlib.FS(), ".")
	src.SetText(file, []byte("load(\"@std//smtlib_api.star\", \"smtlib_api\")\n\nmachine = smtlib_api()\n"))
	globals, err := New(src, Options{Setup: Slots}).ExecText(context.Background(), Test, file)
	if err != nil {
		return nil, err
	}
	return api.MachineOf(globals["machine"])
}
