// Command fakesolver is the fake solver of package fakesolver as a program.
package main

import (
	"os"

	"github.com/smtlark/smtlark/internal/fakesolver"
)

func main() { os.Exit(fakesolver.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
