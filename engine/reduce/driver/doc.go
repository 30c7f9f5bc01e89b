// Package driver makes inputs smaller while they keep a property, such as triggering a bug. One driver reduces scripts,
// traces of API calls, sequences of cases and lists of options. It searches a Space, which defines candidates, when one
// may replace the current one, and how one is asked about. Passes propose the candidates.
//
// The driver asks about no text twice. It asks about several candidates at a time, which does not change the result;
// checks its best candidate again where replies may depend on chance; repeats the passes until none changes anything;
// keeps to the bounds on tests and time; and counts what it did.
package driver
