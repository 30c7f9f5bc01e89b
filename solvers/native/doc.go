// Package native drives solvers through their C libraries: libz3, libcvc5, libbitwuzla, libboolector and libyices,
// loaded at run time from any path, without cgo.
//
// A library may abort, exit, crash, loop or exhaust memory, so it is never loaded into the process of a campaign. Serve
// is the main function of a child ("smtlark native KIND LIBRARY"). New makes a target that starts such children, sends
// them one query after the other and survives their end. The parts, from the bottom up:
//
//   - driver.Library: symbols, calls, memory that C may read, the record of the latest calls;
//   - driver.API: one for each library, in a package of its own (z3, cvc5, ...), which knows the library's functions;
//   - driver.Session: a solvers.Session over an API, which keeps the objects of a library by term;
//   - Serve: reads queries, plays them on a session, writes what came of them;
//   - target: the parent's side, with limits, restarts and the meaning of an end.
//
// If a library lacks a feature, the error has class Unsupported and names the missing function.
package native
