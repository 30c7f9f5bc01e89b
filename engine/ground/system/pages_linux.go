package system

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// PreferLargePages asks for large pages for memory that is read all over the place: finding out where a page of it is
// takes longer than reading it. It is a wish; the kernel may have it set that there are none.
func PreferLargePages(start unsafe.Pointer, size uintptr) {
	page := uintptr(os.Getpagesize())
	skip := -uintptr(start) % page
	if size < skip+page {
		return
	}
	whole := (size - skip) / page * page
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(start, skip)), whole), unix.MADV_HUGEPAGE)
}
