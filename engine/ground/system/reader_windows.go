package system

import "os"

// AwaitNoReader returns false: Windows reports a missing reader only on a write to the pipe, not before.
func AwaitNoReader(*os.File) bool { return false }
