//go:build linux || darwin

package system

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Stamp returns a text that changes when a file is written or replaced, and the time of the last change that the system
// recorded.
func Stamp(path string) (text string, changed time.Time, err error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", time.Time{}, fmt.Errorf("%s: %w", path, err)
	}
	// The time of the last inode change: unlike the modification time, no program can set it.
	changed = time.Unix(st.Ctim.Unix())
	return fmt.Sprint(st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim), changed, nil
}
