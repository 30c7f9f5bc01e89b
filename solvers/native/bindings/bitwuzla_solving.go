package bindings

import (
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

func (b *bitwuzla) Open(s *driver.Session) {
	b.opts = b.callC("options_new")
	defer func() {
		if r := recover(); r != nil {
			b.Shut(false)
			panic(r)
		}
	}()
	for _, o := range s.Settings.Options {
		b.setOption(o.Name, o.Value)
	}
	b.tm = b.share.Take(func() driver.Ref { return b.callC("term_manager_new") })
	b.makeSolver()
}

func (b *bitwuzla) makeSolver() {
	b.solver = b.callC("new", b.tm, b.opts)
	b.flag[0], b.flag[1] = '0', 0
	// A callback into Go costs more than a step of the search: atoi of libc reads the flag instead.
	if atoi := driver.LibcSymbol("atoi"); atoi != 0 && driver.Recording == nil {
		b.callC("set_termination_callback", b.solver, atoi, driver.Address(b.flag))
	}
}

func (b *bitwuzla) setOption(name, value string) {
	for _, o := range b.optionTable() {
		if o.Name != name {
			continue
		}
		switch {
		case o.Kind == "choice":
			b.callC("set_option_mode", b.opts, uintptr(o.number), b.Library.Str(value))
		case o.Kind == "text":
			b.callC("set_option_string", b.opts, uintptr(o.number), b.Library.Str(value))
		case value == "true":
			b.callC("set_option", b.opts, uintptr(o.number), 1)
		case value == "false":
			b.callC("set_option", b.opts, uintptr(o.number), 0)
		default:
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				panic(driver.RefuseOption("bitwuzla: option %s takes a number, not %q", name, value))
			}
			b.callC("set_option", b.opts, uintptr(o.number), uintptr(n))
		}
		return
	}
	if !strings.HasPrefix(name, "produce-") {
		panic(driver.RefuseOption("bitwuzla has no option %s", name))
	}
}

func (b *bitwuzla) Shut(broken bool) {
	solver, tm, opts := b.solver, b.tm, b.opts
	b.solver, b.tm, b.opts, b.noReal = 0, 0, 0, 0
	if tm != 0 {
		tm = b.share.Leave()
	}
	if broken {
		return
	}
	if solver != 0 {
		b.callC("delete", solver)
	}
	if tm != 0 {
		b.callC("term_manager_delete", tm)
	}
	if opts != 0 {
		b.callC("options_delete", opts)
	}
}

func (b *bitwuzla) Assert(_ *driver.Session, r driver.Ref, _ string, _ bool) {
	b.callC("assert", b.solver, r)
}

func (b *bitwuzla) Check(s *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	b.flag[0] = '0'
	var r uint32
	if len(assumptions) == 0 && s.Pick(4) != 1 {
		r = uint32(b.callC("check_sat", b.solver))
	} else {
		r = uint32(b.callC("check_sat_assuming", b.solver, uintptr(len(assumptions)), b.Library.Refs(assumptions)))
	}
	switch r {
	case 10:
		return smtlib.Sat
	case 20:
		return smtlib.Unsat
	}
	return smtlib.Unknown
}

func (b *bitwuzla) Stop() bool {
	b.flag[0] = '1'
	return true
}

// Reusable implements driver.Solving.
func (b *bitwuzla) Reusable() bool { return true }

// Renew implements driver.Solving. The terms stay until the term manager goes.
func (b *bitwuzla) Renew(*driver.Session) bool { return true }

func (b *bitwuzla) Push(n int) { b.callC("push", b.solver, uintptr(n)) }

func (b *bitwuzla) Pop(n int) { b.callC("pop", b.solver, uintptr(n)) }

// ResetAssertions has no function: another solver over the same terms does it.
func (b *bitwuzla) ResetAssertions() {
	b.callC("delete", b.solver)
	b.solver = 0
	b.makeSolver()
}
