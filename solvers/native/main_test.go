package native

import (
	"fmt"
	"os"
	"testing"

	"github.com/smtlark/smtlark/internal/leaktest"
	"github.com/smtlark/smtlark/solvers/backtrace"
	"github.com/smtlark/smtlark/solvers/confine"
)

func TestMain(m *testing.M) {
	_ = os.Setenv(confine.EnvPass, "FAULT") // the fault that the test library should cause
	if len(os.Args) == 4 && os.Args[1] == "native-child" {
		if err := Serve(os.Args[2], os.Args[3], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 7 && os.Args[1] == "native-child" && os.Args[5] == "--c" {
		text, err := os.ReadFile(os.Args[4])
		if err == nil {
			err = RecordC(os.Args[2], os.Args[3], text, nil, false, os.Args[6])
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 3 && os.Args[1] == "trace-child" {
		exit, err := backtrace.Trace(os.Args[2], os.Args[3:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			exit = 1
		}
		os.Exit(exit)
	}
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	Self = []string{exe, "native-child"}
	backtrace.Self = []string{exe, "trace-child"}
	leaktest.Main(m)
}
