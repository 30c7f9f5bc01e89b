package system

import (
	"fmt"
	"os"
	"time"
)

// Stamp returns a text that changes when a file is written or another one takes its place, and when the system last saw
// a change.
func Stamp(path string) (text string, changed time.Time, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", time.Time{}, err
	}
	return fmt.Sprint(st.Size(), st.ModTime().UnixNano()), st.ModTime(), nil
}
