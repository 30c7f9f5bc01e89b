//go:build linux && !amd64 && !arm64

package confine

// refusedCalls are for the processors that the filter is written for.
var refusedCalls []uint32
