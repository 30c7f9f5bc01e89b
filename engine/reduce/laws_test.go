package reduce_test

import script "github.com/smtlark/smtlark/starlark"

// laws are those that the reducers of campaigns and of the command line go by.
var laws = script.StandardRules
