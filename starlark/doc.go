// Package script hosts campaign files: it loads modules, runs them within budgets, turns their errors into messages
// with a backtrace, and implements the command line's tools for scripts (tests, REPL, formatting, linting, generated
// reference).
//
// Modules come from three places only: "@std//name.star" is embedded in the program,
// "//path.star" starts at the project's root, and other paths are relative to the file
// that loads them. Nothing outside the root can be loaded.
//
// Each module runs once per [Interpreter], on a library thread of its own that has no
// campaign (so loading has no side effects), and is frozen before anyone sees it. The
// campaign file itself runs on a campaign thread.
//
// An Interpreter is used by one goroutine while it loads; afterwards any number of
// [Thread]s may call its frozen functions at the same time, one goroutine each.
package script
