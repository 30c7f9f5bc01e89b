//go:build !linux || !(amd64 || arm64) || nonative

package native

import "errors"

// available says why no library can be loaded by this build; "" if they can.
const available = "this build of smtlark cannot load C libraries: native targets need Linux on amd64 or arm64, built without the tag nonative"

func dlopen(string) (uintptr, error)      { return 0, errors.New(available) }
func dlsym(uintptr, string) uintptr       { return 0 }
func syscallC(uintptr, []uintptr) uintptr { panic(available) }
func newCallback(any) uintptr             { panic(available) }
func libcSymbol(string) uintptr           { return 0 }
