// Package native drives solvers through their C libraries: libz3, libcvc5, libbitwuzla, libboolector and libyices,
// loaded at run time from any path, without cgo.
//
// A library may abort, exit, crash, loop or eat memory, so it never lives in the process that holds a campaign: Serve
// is the body of a child ("smtlark native KIND LIBRARY"), and New makes a target that starts such children, gives
// them one query after the other and survives their end. The parts, from the bottom up:
//
//   - driver.Library: symbols, calls, memory that C may read, the record of the latest calls;
//   - driver.API: one for each library, in a package of its own (z3, cvc5, ...), which knows the library's functions;
//   - driver.Session: a solvers.Session over an API, which keeps the objects of a library by term;
//   - Serve: reads queries, plays them on a session, writes what came of them;
//   - target: the parent's side, with limits, restarts and the meaning of an end.
//
// What a library cannot do is an error of class Unsupported that names the function it lacks.
package native
