package solving

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/ground/expression"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
	"github.com/smtlark/smtlark/solvers/trust"
)

// needTrust returns an error if this call makes smtlark run a program that an untrusted file chose: the file is on the
// call stack, and it lies in a folder that is not trusted, or comes from a log in such a folder. what describes how the
// call does so.
func needTrust(c *registry.Call, what string) error {
	files, err := registry.FilesKey.Get(c.Thread)
	if err != nil {
		return err
	}
	folders := []string{files.Root()}
	if from, err := registry.FromKey.Get(c.Thread); err == nil {
		folders = append(folders, from)
	}
	i := slices.IndexFunc(folders, func(folder string) bool { return !trust.Holds(folder) })
	if i < 0 {
		return nil
	}
	untrusted := folders[i]
	for i := range c.Thread.CallStackDepth() {
		if !ours(c.Thread.CallFrame(i).Pos.Filename()) {
			return &trust.UntrustedError{Folder: untrusted, What: what}
		}
	}
	return nil
}

// ours reports whether code comes with smtlark, or was typed by the user.
func ours(filename string) bool {
	return filename == "<builtin>" || strings.HasPrefix(filename, "@std//") || strings.HasPrefix(filename, "<input ") && strings.HasSuffix(filename, ">")
}

// trusted returns an error if the arguments profile and path of a call of solver() name a program that neither this
// machine has registered nor the file may choose. If all solvers were sent from another machine, there is no choice:
// only these solvers run, and they are confined (docs/trust.md).
func trusted(c *registry.Call, p *profile, path string, registered func() []*solvers.Solver) error {
	if supply, err := supplyKey.Get(c.Thread); err == nil && supply.Restricted() {
		return nil
	}
	if p != nil {
		return needTrust(c, "profile "+p.P.Name+" describes programs to run")
	}
	if path == "" || trust.Holds(path) {
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return catalogue.NoProgram(path)
	}
	if err == nil && slices.ContainsFunc(registered(), func(s *solvers.Solver) bool {
		at := s.Path
		if s.Library != "" {
			at = s.Library
		}
		known, err := filepath.EvalSymlinks(at)
		return err == nil && known == real
	}) {
		return nil
	}
	return needTrust(c, "path = "+expression.Text(path)+" names a program that is not registered on this machine")
}
