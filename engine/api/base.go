package api

import "github.com/smtlark/smtlark/engine/smtlib"

// Base returns the state machine of SMT-LIB: every command in every state in which the standard allows it, with the
// weights that a campaign starts from. Options are set ahead of the logic, as the standard wants.
func Base() *Machine {
	m := &Machine{MaxCalls: 500}
	for _, a := range baseActions() {
		m.AddAction(a)
	}
	for _, name := range []string{"new", "opt", "set_logic", "create_sorts", "create_inputs", "create_terms", "assert", "check_sat"} {
		m.AddState(name, Plain)
	}
	m.AddState("decide", Decision)
	m.AddState("sat", Choice)
	m.AddState("unsat", Choice)
	for _, name := range []string{"push_pop", "second", "delete", final} {
		m.AddState(name, Plain)
	}
	conditions(m)
	setup(m)
	creation(m)
	solvingStates(m)
	return m
}

// conditions gives states what must hold to enter them.
func conditions(m *Machine) {
	pre := func(state, label string, c Cond) {
		s := m.State(state)
		s.Pre, s.Label = c, label
	}
	pre("create_terms", "terms", func(r *Run) bool { return r.Gen.DB.Len() > 2 || r.inputs > 0 })
	for _, name := range []string{"assert", "check_sat", "push_pop", "delete"} {
		m.State(name).Enter = func(r *Run) { r.Gen.CloseAll() } // binds the variables that are open
	}
	pre("sat", "may be sat", func(r *Run) bool { return r.last.Answer != smtlib.Unsat })
	pre("unsat", "may be unsat", func(r *Run) bool { return r.last.Answer != smtlib.Sat })
}

func setup(m *Machine) {
	m.State("new").On("new", 1, "opt")
	opt := m.State("opt")
	opt.On("set-option", 4, "")
	opt.On("", 1, "set_logic")
	m.State("set_logic").On("set-logic", 1, "create_sorts")
}

func inputs(r *Run) bool { return r.inputs > 0 }

func creation(m *Machine) {
	s := m.State("create_sorts")
	s.On("mk-sort", 3, "")
	s.On("instantiate-sort", 0.5, "")
	s.On("", 1, "create_inputs").If("sorts", func(r *Run) bool { return len(r.Gen.DB.Sorts()) > 1 || r.Gen.OnlyCore() })

	s = m.State("create_inputs")
	s.On("mk-const", 10, "")
	s.On("declare-fun", 3, "")
	s.On("mk-value", 5, "")
	s.On("mk-special-value", 2, "")
	s.On("mk-var", 4, "")
	s.On("mk-sort", 0.5, "create_sorts")
	s.On("", 4, "create_terms").If("inputs", inputs)
	s.On("", 0.3, "push_pop").If("inputs", inputs)
	s.On("", 0.05, "check_sat").If("inputs", inputs)

	s = m.State("create_terms")
	s.On("mk-term", 42, "")
	s.On("mk-fun", 0.6, "")
	s.On("mk-fun-rec", 0.1, "")
	s.On("term-get-children", 0.6, "")
	s.On("mk-var", 0.6, "")
	s.On("simplify", 0.05, "")
	s.On("", 1.2, "assert")
	s.On("", 0.1, "create_inputs")
	s.On("", 0.1, "check_sat")
	s.On("", 0.1, "push_pop").If("inputs", inputs)
}

func assertions(r *Run) bool { return r.Option("produce-assertions") == "true" }

func two(r *Run) bool { return r.second.open }

func solvingStates(m *Machine) {
	s := m.State("assert")
	s.On("assert-formula", 6, "")
	s.On("pin", 8, "")
	s.On("plant", 1, "")
	s.On("get-assertions", 0.5, "").If("assertions", assertions)
	s.On("new-solver", 0.02, "second")
	s.On("", 0.5, "second").If("two solvers", two)
	s.On("", 1, "push_pop").If("inputs", inputs)
	s.On("", 2, "check_sat")
	s.On("", 0.4, "create_terms")

	s = m.State("check_sat")
	s.On("check-sat", 3, "decide")
	s.On("check-sat-assuming", 2, "decide")
	s.On("check-sat-limited", 0.4, "decide")
	s.On("", 0.5, "second").If("two solvers", two)
	s.On("get-assertions", 0.4, "").If("assertions", assertions)
	s.On("", 0.8, "push_pop").If("inputs", inputs)
	s.On("", 0.9, "delete").If("asked", func(r *Run) bool { return r.checks > 0 })

	s = m.State("decide")
	s.On("", 1, "sat")
	s.On("", 1, "unsat")

	leave := func(s *State) {
		s.On("get-info", 0.2, "")
		s.On("get-option", 0.1, "")
		s.On("echo", 0.1, "")
		s.On("get-assertions", 0.4, "").If("assertions", assertions)
		s.On("", 0.7, "check_sat")
		s.On("", 1.2, "push_pop")
		s.On("", 0.8, "create_terms")
		s.On("", 1.1, "delete")
	}
	s = m.State("sat")
	s.On("get-model", 2.5, "").If("model", unspent)
	s.On("get-value", 6, "").If("model", unspent)
	s.On("get-assignment", 1, "").If("assignments", func(r *Run) bool { return r.Option("produce-assignments") == "true" })
	s.On("get-interpolant", 4, "").If("interpolants", func(r *Run) bool { return r.Option("produce-interpolants") == "true" })
	s.On("get-abduct", 4, "").If("abducts", func(r *Run) bool { return r.Option("produce-abducts") == "true" })
	s.On("block-model", 0.1, "")
	leave(s)
	s = m.State("unsat")
	s.On("get-unsat-core", 12, "").If("cores", func(r *Run) bool { return r.Option("produce-unsat-cores") == "true" })
	s.On("get-unsat-assumptions", 20, "").If("assumed", func(r *Run) bool { return r.last.Assumed })
	s.On("get-proof", 6, "").If("proofs", func(r *Run) bool { return r.Option("produce-proofs") == "true" })
	s.On("get-difficulty", 4, "").If("difficulties", func(r *Run) bool { return r.Option("produce-difficulty") == "true" })
	leave(s)

	s = m.State("push_pop")
	s.On("push", 2, "")
	s.On("pop", 2, "").If("levels", func(r *Run) bool { return r.Level() > 0 })
	s.On("", 2, "assert")
	s.On("", 0.5, "create_sorts")
	s.On("", 1, "create_inputs")
	s.On("", 1, "create_terms")
	s.On("", 0.5, "check_sat")
	s.On("reset", 0.15, "opt")
	s.On("reset-assertions", 0.15, "create_sorts")
	s.On("", 0.1, "delete")

	s = m.State("second")
	s.On("transfer", 3, "")
	s.On("check-second", 2, "")
	s.On("delete-solver", 0.3, "check_sat")
	s.On("", 1, "assert")
	s.On("", 1, "check_sat")

	m.State("delete").On("delete", 1, final)
}
