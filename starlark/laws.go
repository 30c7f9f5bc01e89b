package script

import (
	"context"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/semantics/law"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
	"github.com/smtlark/smtlark/stdlib"
)

// bookModule is the file of the library that defines its laws.
const bookModule = "@std//laws/book.star"

var standardRules madeOnce[*standardLaws]

// standardLaws are the laws of the library, and the rewrite rules made from them.
type standardLaws struct {
	laws  []*engine.Law
	rules *rewrite.Rules
}

// StandardRules returns the laws of the library as rules. They are made once.
func StandardRules() (*rewrite.Rules, error) {
	std, err := standardRules.get("the laws of the library", makeStandardRules)
	if err != nil {
		return nil, err
	}
	return std.rules, nil
}

// RulesWith returns the laws of the library and others as rules, for which the functions of all are called on the
// thread.
func RulesWith(th *starlark.Thread, own []*engine.Law) (*rewrite.Rules, error) {
	std, err := standardRules.get("the laws of the library", makeStandardRules)
	if err != nil {
		return nil, err
	}
	all := &value.LawCollector{}
	for _, l := range slices.Concat(std.laws, own) {
		if err := all.Add(l); err != nil {
			return nil, err
		}
	}
	return rewrite.Compile(th, all.Laws)
}

func makeStandardRules() (*standardLaws, error) {
	reg, err := Registry()
	if err != nil {
		return nil, err
	}
	found := &value.LawCollector{}
	in := New(NewSources(reg, stdlib.FS(), "."), InterpreterOptions{Setup: func(kind ThreadKind, th *starlark.Thread) {
		Slots(kind, th)
		value.CollectorKey.Set(th, found)
	}})
	if _, err := in.Exec(context.Background(), Test, bookModule); err != nil {
		return nil, err
	}
	rules, err := rewrite.Compile(in.NewThread(Case, "laws").Starlark(), found.Laws)
	return &standardLaws{found.Laws, rules}, err
}
