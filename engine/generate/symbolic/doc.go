// Package symbolic makes the queries of symbolic execution: three small programs are run with symbolic inputs along all of their paths, depth
// first, and at each branch it is asked whether the path can go on to either side. Path conditions grow one conjunct at a time and
// share their beginnings, bounds are checked where values are used, and at the end of a path it is asked for a test case, as KLEE does
// (Cadar, Dunbar and Engler, "KLEE: Unassisted and automatic generation of high-coverage tests", OSDI 2008). The queries are the same
// each time, if the answers are.
package symbolic
