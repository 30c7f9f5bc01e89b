package system

// AddressSpace returns the limit of this process's address space in bytes; ok is false where there is none, as here.
func AddressSpace() (limit uint64, ok bool) { return 0, false }
