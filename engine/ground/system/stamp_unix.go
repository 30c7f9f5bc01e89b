//go:build linux || darwin

package system

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Stamp returns a text that changes when a file is written or another one takes its place, and when the system last saw
// a change.
func Stamp(path string) (text string, changed time.Time, err error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", time.Time{}, fmt.Errorf("%s: %w", path, err)
	}
	// The time of the last change of the inode: unlike that of writing, no program can set it.
	changed = time.Unix(st.Ctim.Unix())
	return fmt.Sprint(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim), changed, nil
}
