package command

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
)

// ReadFlag adds the flag for folders that a campaign file may read in addition to its own.
func ReadFlag(fs *pflag.FlagSet, folders *[]string) {
	fs.StringArrayVar(folders, "read", nil, "`folder` outside of the campaign file's own that it may read, for its seeds; may be repeated")
}

func CheckFolders(folders []string) error {
	for _, folder := range folders {
		if st, err := os.Stat(folder); err != nil || !st.IsDir() {
			return fmt.Errorf("--read %s: no such folder", folder)
		}
	}
	return nil
}
