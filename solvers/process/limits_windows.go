package process

// ownMemoryLimit reports whether a limit of memory is enforced by looking at the process now and then: the job does.
func ownMemoryLimit(string) bool { return false }
