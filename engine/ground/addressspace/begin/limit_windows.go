package begin

// Limit returns the limit of this process's address space in bytes; there is none here.
func Limit() (bytes uint64, ok bool) { return 0, false }
