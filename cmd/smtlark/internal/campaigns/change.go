package campaigns

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// changeOptions are the flags that direct a campaign at changed lines of a solver.
type changeOptions struct {
	what   string // as it was given
	source string

	lines *coverage.Change
	root  string
}

func (o *changeOptions) flags(fs *pflag.FlagSet) {
	fs.StringVar(&o.what, "change", "", "lead the campaign to the lines that a patch changes in a solver built with AFL++ (docs/pull-requests.md): `DIFF` is a file, or commits of --source as git diff takes them, such as main...HEAD")
	fs.StringVar(&o.source, "source", "", "with --change: `folder` of the sources that the solver was built from")
}

// gitTime bounds how long git may take to compute a diff.
const gitTime = time.Minute

// read reads the patch.
func (o *changeOptions) read(fs *pflag.FlagSet, mode, cluster string) (err error) {
	if !fs.Changed("change") {
		if o.source != "" {
			return errors.New("--source needs --change")
		}
		return nil
	}
	switch {
	case mode != "" && mode != finding.CoverageGrow:
		return fmt.Errorf("--change needs cases to become seeds: leave --coverage %s out", mode)
	case cluster != "":
		return errors.New("--change: seeds do not grow in a campaign on many machines")
	}
	if o.source != "" {
		if o.root, err = filepath.Abs(o.source); err != nil {
			return err
		}
		if real, err := filepath.EvalSymlinks(o.root); err == nil {
			o.root = real
		}
		if info, err := os.Stat(o.root); err != nil || !info.IsDir() {
			return fmt.Errorf("--source %s: no such folder", o.source)
		}
	}
	text, err := system.ReadInput(o.what)
	switch {
	case err == nil:
	case o.root == "":
		return fmt.Errorf("--change %s: no such file; for commits give the folder of their repository with --source", o.what)
	default:
		if text, err = o.difference(); err != nil {
			return fmt.Errorf("--change %s: neither a file nor commits of %s: %w", o.what, o.source, err)
		}
		if len(bytes.TrimSpace(text)) == 0 {
			return fmt.Errorf("--change %s: nothing in %s differs between these commits", o.what, o.source)
		}
	}
	if o.lines, err = coverage.ParseChange(bytes.NewReader(text)); err != nil {
		return fmt.Errorf("--change %s: %w", o.what, err)
	}
	return nil
}

// difference asks git for the difference that commits make below the folder of sources.
func (o *changeOptions) difference() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "-C", o.root, "-c", "core.quotepath=off", "diff", "--relative", "--no-color", "--no-ext-diff", "--unified=0", "--end-of-options", o.what, "--")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && said.Len() > 0 {
		err = errors.New(display.LastLine(said.String()))
	}
	return out, err
}

// identity returns what tells campaigns of one file apart: those that are led to different lines are different ones.
func (o *changeOptions) identity(set map[string]string) map[string]string {
	if o.lines == nil {
		return set
	}
	out := map[string]string{}
	maps.Copy(out, set)
	text, _ := json.Marshal(o.lines) // numbers and text
	out["--change"] = string(text)
	return out
}

// again returns the flags that lead another run there.
func (o *changeOptions) again() string {
	if o.lines == nil {
		return ""
	}
	words := []string{"--change", o.what}
	if o.source != "" {
		words = append(words, "--source", o.source)
	}
	return " " + strings.TrimSpace(shellJoin(words...))
}
