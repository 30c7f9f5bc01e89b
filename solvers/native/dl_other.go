//go:build !(linux || darwin) || !(amd64 || arm64) || nonative

package native

import "errors"

// unavailable says why no library can be loaded by this build; "" if they can.
const unavailable = "this build of smtlark cannot load C libraries: native targets need Linux or macOS, on amd64 or arm64, built without the tag nonative"

func dlopen(string) (uintptr, error)      { return 0, errors.New(unavailable) }
func dlsym(uintptr, string) uintptr       { return 0 }
func syscallC(uintptr, []uintptr) uintptr { panic(unavailable) }
func newCallback(any) uintptr             { panic(unavailable) }
func libcSymbol(string) uintptr           { return 0 }
