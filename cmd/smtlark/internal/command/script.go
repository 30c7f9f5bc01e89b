package command

import (
	script "github.com/smtlark/smtlark/starlark"
	"github.com/smtlark/smtlark/stdlib"
)

// SourcesFor returns the module sources for a campaign file: the embedded library and
// the project that the file belongs to.
func SourcesFor(file string) (*script.Sources, error) {
	reg, err := script.Registry()
	if err != nil {
		return nil, err
	}
	root, err := script.ProjectRoot(file)
	if err != nil {
		return nil, err
	}
	return script.NewSources(reg, stdlib.FS(), root), nil
}
