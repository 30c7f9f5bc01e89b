// Package begin restarts a program whose address space is limited, with settings that save address space. It imports
// little besides the package syscall: Go initialises packages with few dependencies first, and packages that are
// initialised earlier may use up all address space.
package begin

// Enough is the limit in bytes from which no address space needs to be saved: no verb was seen to die with 3 GB on two
// processors.
const Enough = 4 << 30
