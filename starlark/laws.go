package script

import (
	"context"
	"fmt"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/law"
	"github.com/smtlark/smtlark/engine/rewrite"
	"github.com/smtlark/smtlark/stdlib"
)

// Book is the file of the library that defines its laws.
const Book = "@std//laws/book.star"

// standardRules are made once.
var standardRules struct {
	sync.Once
	rules *rewrite.Rules
	err   error
}

// StandardRules returns the laws of the library as rules.
func StandardRules() (*rewrite.Rules, error) {
	s := &standardRules
	s.Do(func() {
		if s.rules, s.err = makeStandardRules(); s.err != nil {
			s.err = fmt.Errorf("the laws of the library: %w", s.err)
		}
	})
	return s.rules, s.err
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
	if _, err := in.Exec(context.Background(), Test, Book); err != nil {
		return nil, err
	}
	return rewrite.Compile(in.NewThread(Case, "laws").Starlark(), found.Laws)
}
