package script

import (
	"context"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/campaign"
	"github.com/smtlark/smtlark/builtins/core"
	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/builtins/value"
	"github.com/smtlark/smtlark/stdlib"
)

// GeneratedFile is a file of the repository that follows from the registry.
type GeneratedFile struct {
	Path string // relative to the repository
	Data []byte
}

// Generated returns the files that smtlark docs writes.
func Generated(reg *registry.Registry) ([]GeneratedFile, error) {
	libraries, err := registry.Libraries(stdlib.FS())
	if err != nil {
		return nil, err
	}
	return []GeneratedFile{
		{"docs/reference.md", reg.Reference(libraries)},
		{"stubs/" + registry.StubFile, reg.Stubs(libraries)},
	}, nil
}

// RunExample runs and checks the example of an entry; see registry.RunExample.
func (in *Interpreter) RunExample(ctx context.Context, b *registry.Builtin) error {
	t := in.newThread(Test, b.FullName())
	defer t.Close()
	if err := t.beginCall(ctx); err != nil {
		return err
	}
	t.th.Load = func(_ *starlark.Thread, name string) (starlark.StringDict, error) {
		return in.loadModule(ctx, module{path: "x.star"}, name)
	}
	if err := registry.RunExample(b, t.th, in.src.reg.Predeclared()); err != nil {
		return in.newError(t.cancelReason(err))
	}
	return nil
}

// Slots fills the slots of a thread that has no campaign: tests, REPL, examples.
func Slots(kind ThreadKind, th *starlark.Thread) {
	solving.Attach(Supply(), th)
	value.RulesKey.Set(th, StandardRules)
	if kind == Test {
		core.TestKey.Set(th, true)
		campaign.SpecKey.Set(th, &campaign.Spec{})
	}
}
