package system

import (
	"fmt"
	"os"
	"time"
)

// Stamp returns a text that changes when a file is written or replaced, and the time of the last change that the system
// recorded.
func Stamp(path string) (text string, changed time.Time, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", time.Time{}, err
	}
	return fmt.Sprint(st.Size(), st.ModTime().UnixNano()), st.ModTime(), nil
}
