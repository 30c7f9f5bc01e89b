// Package driver is what the bindings of all C libraries share: loading a library and calling it, memory that C may
// read, the record of calls, and the session that translates terms, keeps the objects of a library by term and turns
// what goes wrong into errors. A binding implements API.
package driver
