package solvers

import "github.com/smtlark/smtlark/solvers/rule"

// Repertoire has the parts of the solver beyond SMT-LIB that walks of API fuzzing may use.
type Repertoire struct {
	APIOptions   []rule.OptionSpec   `star:"api_options" of:"solver.option" doc:"options that API fuzzing may set: a list of solver.option(...)"`
	APILimits    []rule.Limit        `star:"api_limits" of:"solver.limit" doc:"options that API fuzzing may use to limit one check-sat; they can be set at any time, and 0 removes the limit: a list of solver.limit(...)"`
	APIOperators []rule.OperatorSpec `star:"api_operators" of:"solver.operator" doc:"operators beyond the operator table that API fuzzing applies: a list of solver.operator(...)"`
	APIValues    []rule.SpecialValue `star:"api_values" of:"solver.value" doc:"special values that API fuzzing makes: a list of solver.value(...)"`
	APIActions   []Action            `star:"api_actions" of:"solver.action" doc:"commands of this kind of solver that walks of API fuzzing may call, each a solver.action(...)"`
}

// check reports invalid actions, and two actions with the same name.
func (r *Repertoire) check() error {
	names := map[string]bool{}
	for i := range r.APIActions {
		a := &r.APIActions[i]
		if err := a.Validate(); err != nil {
			return fieldError("api_actions", "has %v", err)
		}
		if names[a.Name] {
			return fieldError("api_actions", "has two actions that are named %q", a.Name)
		}
		names[a.Name] = true
	}
	return nil
}
