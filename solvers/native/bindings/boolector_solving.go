package bindings

import (
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (b *boolector) Open(s *driver.Session) {
	b.optionTable()
	b.btor = b.callC("new")
	b.assumed, b.levels, b.quantifies, b.goesOn = nil, nil, false, false
	b.setOption("incremental", "1")
	b.setOption("auto-cleanup", "1") // objects that are left do not count as a mistake at the end
	if s.Settings.Models {
		b.setOption("model-gen", "1")
	}
	for _, o := range s.Settings.Options {
		if strings.HasPrefix(o.Name, "produce-") {
			continue
		}
		b.setOption(o.Name, o.Value)
	}
	b.flag[0], b.flag[1] = '0', 0
	if atoi := driver.LibcSymbol("atoi"); atoi != 0 && driver.Recording == nil {
		b.callC("set_term", b.btor, atoi, driver.Address(b.flag))
	}
}

func (b *boolector) SetLate(_ *driver.Session, name, value string) { b.setOption(name, value) }

func (b *boolector) Shut(broken bool) {
	x := b.btor
	b.btor = 0
	if x != 0 && !broken {
		b.callC("release_all", x)
		b.callC("delete", x)
	}
}

func (b *boolector) Assert(_ *driver.Session, r driver.Ref, _ string, track bool) {
	if track {
		b.assumed = append(b.assumed, r)
		return
	}
	b.callC("assert", b.btor, r)
}

func (b *boolector) Check(_ *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	b.flag[0] = '0'
	if b.goesOn || len(b.assumed) > 0 || len(assumptions) > 0 {
		b.noMore("levels, assumptions and further checks")
	}
	if b.quantifies {
		b.setOption("incremental", "0")
	}
	b.goesOn = true
	for _, r := range slices.Concat(b.assumed, assumptions) {
		b.callC("assume", b.btor, r)
	}
	switch uint32(b.callC("sat", b.btor)) {
	case 10:
		return smtlib.Sat
	case 20:
		return smtlib.Unsat
	}
	return smtlib.Unknown
}

func (b *boolector) Stop() bool {
	b.flag[0] = '1'
	return true
}

// Reusable implements driver.Solving: with an incremental instance Boolector leaves out much of its preprocessing,
// and cases take two to three times as long as with an instance each.
func (b *boolector) Reusable() bool { return false }

// Renew implements driver.Solving. The nodes stay until the solver goes.
func (b *boolector) Renew(*driver.Session) bool { return !b.quantifies }

func (b *boolector) Push(n int) {
	b.noMore("levels")
	b.callC("push", b.btor, uintptr(n))
	b.goesOn = true
	for range n {
		b.levels = append(b.levels, len(b.assumed))
	}
}

func (b *boolector) Pop(n int) {
	b.callC("pop", b.btor, uintptr(n))
	k := len(b.levels) - n
	b.assumed, b.levels = b.assumed[:b.levels[k]], b.levels[:k]
}

func (b *boolector) ResetAssertions() {
	panic(driver.Unsupported("boolector has no reset-assertions"))
}
