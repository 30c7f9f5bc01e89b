// Package begin has a program begin again where its address space is limited, with settings that save it. It imports
// the package syscall alone, and little else: Go initialises what depends on little first, and packages that are
// initialised before may take all that there is.
package begin

// Enough is the limit in bytes from which nothing has to be saved: no verb was seen to die with 3 GB on two processors.
const Enough = 4 << 30
