package script

import (
	"context"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/law"
	"github.com/smtlark/smtlark/engine/rewrite"
	"github.com/smtlark/smtlark/stdlib"
)

// bookModule is the file of the library that defines its laws.
const bookModule = "@std//laws/book.star"

var standardRules madeOnce[*rewrite.Rules]

// StandardRules returns the laws of the library as rules. They are made once.
func StandardRules() (*rewrite.Rules, error) {
	return standardRules.get("the laws of the library", makeStandardRules)
}

func makeStandardRules() (*rewrite.Rules, error) {
	reg, err := Registry()
	if err != nil {
		return nil, err
	}
	found := &law.Collector{}
	in := New(NewSources(reg, stdlib.FS(), "."), Options{Setup: func(kind Kind, th *starlark.Thread) {
		Slots(kind, th)
		law.CollectorKey.Set(th, found)
	}})
	if _, err := in.Exec(context.Background(), Test, bookModule); err != nil {
		return nil, err
	}
	return rewrite.Compile(in.NewThread(Case, "laws").Starlark(), found.Laws)
}
