package solvers

// Repertoire is what the solver has beyond SMT-LIB that walks of API fuzzing may use.
type Repertoire struct {
	APIOptions   []string `star:"api_options" doc:"options that API fuzzing may set: a list of solver.option(...)"`
	APILimits    []string `star:"api_limits" doc:"options that bound one check-sat and can be set at any time, 0 lifting them, that API fuzzing may use: a list of solver.limit(...)"`
	APIOperators []string `star:"api_operators" doc:"operators beyond the operator table that API fuzzing applies: a list of solver.operator(...)"`
	APIValues    []string `star:"api_values" doc:"special values that API fuzzing makes: a list of solver.value(...)"`
	APIActions   []Action `star:"api_actions" doc:"commands of this kind of solver that walks of API fuzzing may call, each a solver.action(...)"`
}
