package campaigns

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/generate/api/murxla"
	"github.com/smtlark/smtlark/engine/ground/system"
)

// importProfile prints the profile of Murxla in a file as a campaign file's solver.profile.
func importProfile(e *command.Env, file, name, base string) int {
	text, err := system.ReadInput(file)
	if err != nil {
		return e.Fail(command.ExitDisk, "api", err)
	}
	p, err := murxla.ReadProfile(text)
	if err != nil {
		return e.Fail(command.ExitUsage, "api", fmt.Errorf("%s: %w", file, err))
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	fmt.Fprint(e.Stdout, p.Star(name, base))
	return command.ExitOK
}
