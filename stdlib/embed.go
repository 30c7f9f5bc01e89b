// Package stdlib is the library of campaign files: modules in Starlark that are part of
// the program and load as @std//name.star.
package stdlib

import (
	"embed"
	"io/fs"
)

// Everything in this folder, so that a new subfolder needs no change here.
//
//go:embed *.star seeds solvers fusion laws
var files embed.FS

// FS returns the modules by their path in @std//, and whatever else lies beside them.
func FS() fs.FS { return files }
