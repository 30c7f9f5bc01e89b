package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/value"
	engine "github.com/smtlark/smtlark/engine/semantics/law"
	"github.com/smtlark/smtlark/engine/semantics/proof"
	"github.com/smtlark/smtlark/engine/semantics/rewrite"
	script "github.com/smtlark/smtlark/starlark"
)

// laws are those that a campaign file and its modules define.
type laws struct {
	in    *script.Interpreter
	found value.LawCollector
	mu    sync.Mutex
	made  [2]*rewrite.Rules // with those of the library: the proven ones, and all; nil before they are asked for
}

// attach has a thread note the laws that it defines, or use those that there are.
func (l *laws) attach(kind script.ThreadKind, th *starlark.Thread) {
	if kind == script.Case {
		value.OwnRulesKey.Set(th, l.rules)
		return
	}
	value.CollectorKey.Set(th, &l.found)
}

// own lists the laws that are not the library's.
func (l *laws) own(assumed bool) []*engine.Law {
	return slices.DeleteFunc(slices.Clone(l.found.Laws), func(x *engine.Law) bool {
		return strings.HasPrefix(x.Where, "@std//") || x.Assumed && !assumed
	})
}

// check refuses a law that has no proof on record and is not assumed. The error shows what is wrong with the law if
// evaluation finds that out.
func (l *laws) check(ctx context.Context) error {
	for _, x := range l.own(false) {
		th := l.in.NewThread(script.Case, "law "+x.Name).Starlark()
		key, err := x.Key(th)
		if err != nil {
			return err
		}
		if engine.Proofs.Has(key) {
			continue
		}
		v, err := x.Examine(ctx, th, &proof.Prover{Values: proof.DefaultValues})
		switch {
		case err != nil:
			return err
		case v.Refuted != "":
			return fmt.Errorf("%s: law %s is wrong: %s", x.Where, x.Name, v.Refuted)
		}
		return fmt.Errorf("%s: law %s is not proven: run smtlark law check on its file, or say assume = True to use it where no answer is claimed", x.Where, x.Name)
	}
	if len(l.own(true)) == 0 {
		return nil
	}
	_, err := l.rules(true) // names that the library has, and sorts of sides that differ
	return err
}

// rules returns the laws of the library with those of the file, also those that are assumed.
func (l *laws) rules(assumed bool) (*rewrite.Rules, error) {
	own := l.own(assumed)
	if len(own) == 0 {
		return script.StandardRules()
	}
	k := 0
	if assumed {
		k = 1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made[k] == nil {
		if l.in == nil {
			return nil, errors.New("laws are used when the file that defines them has run")
		}
		r, err := script.RulesWith(l.in.NewThread(script.Case, "laws").Starlark(), own)
		if err != nil {
			return nil, err
		}
		l.made[k] = r
	}
	return l.made[k], nil
}
