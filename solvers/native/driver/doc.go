// Package driver has the parts that the bindings of all C libraries share: loading and calling a library, memory that C
// may read, the record of calls, and the session, which translates terms, keeps the library's object for each term and
// turns faults into errors. A binding implements API.
package driver
