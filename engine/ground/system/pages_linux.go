package system

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// PreferLargePages requests large pages for memory with random access, where looking up the address of a page takes
// longer than reading it. It is only a hint; the kernel may be configured not to use large pages.
func PreferLargePages(start unsafe.Pointer, size uintptr) {
	page := uintptr(os.Getpagesize())
	skip := -uintptr(start) % page
	if size < skip+page {
		return
	}
	whole := (size - skip) / page * page
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(start, skip)), whole), unix.MADV_HUGEPAGE)
}
