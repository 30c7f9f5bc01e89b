//go:build !(linux || darwin) || !(amd64 || arm64) || nonative

package driver

import "errors"

// Unavailable says why no library can be loaded by this build; "" if they can.
const Unavailable = "this build of smtlark cannot load C libraries: native targets need Linux or macOS, on amd64 or arm64, built without the tag nonative"

func dlopen(string) (uintptr, error)      { return 0, errors.New(Unavailable) }
func dlsym(uintptr, string) uintptr       { return 0 }
func SyscallC(uintptr, []uintptr) uintptr { panic(Unavailable) }
func NewCallback(any) uintptr             { panic(Unavailable) }
func LibcSymbol(string) uintptr           { return 0 }
