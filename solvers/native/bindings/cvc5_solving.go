package bindings

import (
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/rule"
)

func (c *cvc5) optionNames(s driver.Ref) (names []string) {
	n := c.Library.Memory.Words(1)
	p := c.callC("get_option_names", s, n.Addr())
	for i := range int(n.At(0)) {
		names = append(names, driver.GoString(driver.WordAt(p, i)))
	}
	return names
}

func (c *cvc5) Open(s *driver.Session) {
	c.tm = c.share.Take(func() driver.Ref {
		clear(c.declared)
		clear(c.params)
		return c.callC("term_manager_new")
	})
	c.userSorts = nil
	defer func() {
		if r := recover(); r != nil {
			f, _ := r.(*driver.Fault)
			c.Shut(f == nil || f.Dead)
			panic(r)
		}
	}()
	c.solver = c.callC("new", c.tm)
	if c.ver == "" {
		c.ver = c.versionOf(c.solver)
	}
	if len(c.names) == 0 {
		for _, n := range c.optionNames(c.solver) {
			c.names[n] = true
		}
	}
	given := map[string]bool{}
	for _, o := range s.Settings.Options {
		given[o.Name] = true
	}
	// The options are those of the program's profile: without them, cvc5 refuses many of its features.
	for _, o := range []rule.Setting{{Name: "incremental", Value: "true"}, {Name: "strings-exp", Value: "true"}} {
		if c.names[o.Name] && !given[o.Name] {
			c.setOption(o.Name, o.Value)
		}
	}
	for _, o := range s.Settings.Options {
		c.setOption(o.Name, o.Value)
	}
	if s.Settings.Resources > 0 {
		c.setOption("rlimit-per", fmt.Sprint(s.Settings.Resources))
	}
	// There is no other way to stop a check.
	if c.limit = s.OwnLimit().Milliseconds(); c.limit > 0 && !given["tlimit-per"] {
		c.setOption("tlimit-per", fmt.Sprint(c.limit))
	}
	if s.Settings.Logic != "" {
		c.callC("set_logic", c.solver, c.Library.Str(s.Settings.Logic))
	}
}

// setOption sets an option of the solver. One that the library does not know is refused here, where it does no harm.
func (c *cvc5) setOption(name, value string) {
	if len(c.names) > 0 && !c.names[name] && name != "produce-models" {
		panic(driver.RefuseOption("cvc5 has no option %s", name))
	}
	c.callC("set_option", c.solver, c.Library.Str(name), c.Library.Str(strings.Trim(value, `"`)))
}

func (c *cvc5) SetLate(_ *driver.Session, name, value string) { c.setOption(name, value) }

func (c *cvc5) Shut(broken bool) {
	solver, tm := c.solver, c.tm
	c.solver, c.tm = 0, 0
	if tm != 0 {
		tm = c.share.Leave()
	}
	if broken {
		return
	}
	if solver != 0 {
		c.callC("delete", solver)
	}
	if tm != 0 {
		c.callC("term_manager_delete", tm)
	}
}

func (c *cvc5) Assert(_ *driver.Session, r driver.Ref, _ string, _ bool) {
	c.callC("assert_formula", c.solver, r)
}

func (c *cvc5) Check(s *driver.Session, assumptions []driver.Ref) smtlib.Answer {
	var r driver.Ref
	if len(assumptions) == 0 && s.Pick(4) != 1 {
		r = c.callC("check_sat", c.solver)
	} else {
		r = c.callC("check_sat_assuming", c.solver, uintptr(len(assumptions)), c.Library.Refs(assumptions))
	}
	switch {
	case c.callC("result_is_sat", r)&0xff != 0:
		return smtlib.Sat
	case c.callC("result_is_unsat", r)&0xff != 0:
		return smtlib.Unsat
	}
	c.lastUnknown(s, r)
	return smtlib.Unknown
}

// lastUnknown records that a check ended because its time was up.
func (c *cvc5) lastUnknown(s *driver.Session, r driver.Ref) {
	why := c.callForText("unknown_explanation_to_string", c.callC("result_get_unknown_explanation", r)&0xffffffff)
	if strings.HasSuffix(why, "TIMEOUT") && (s.TimeLimit == 0 || s.PerCheck() < s.TimeLimit) {
		s.Interrupted = true
	}
}

func (c *cvc5) Reason() string {
	text := c.callForText("get_info", c.solver, c.Library.Str("reason-unknown"))
	return strings.Trim(strings.TrimSuffix(strings.TrimPrefix(text, "(:reason-unknown "), ")"), `"`)
}

// Reusable implements driver.Solving.
func (c *cvc5) Reusable() bool { return true }

// Renew implements driver.Solving. A solver that was given another time limit, which can be set only once, is of no
// use.
func (c *cvc5) Renew(s *driver.Session) bool {
	if ms := s.OwnLimit().Milliseconds(); ms > c.limit || 2*ms < c.limit {
		return false
	}
	clear(c.declared)
	clear(c.params)
	c.userSorts = nil
	return true
}

func (c *cvc5) Push(n int) { c.callC("push", c.solver, uintptr(n)) }

func (c *cvc5) Pop(n int) { c.callC("pop", c.solver, uintptr(n)) }

func (c *cvc5) ResetAssertions() { c.callC("reset_assertions", c.solver) }
