package command

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/builtins/registry"
)

// durationFlag is a flag of a time from 0 up, written as in campaign files: 90s, 8h, 2d, or a plain number of seconds.
type durationFlag struct{ d *time.Duration }

// NewDuration returns the value of a flag that sets d, which has its default.
func NewDuration(d *time.Duration) *durationFlag { return &durationFlag{d} }

// DurationFlag adds such a flag.
func DurationFlag(fs *pflag.FlagSet, d *time.Duration, name string, value time.Duration, usage string) {
	*d = value
	fs.Var(&durationFlag{d}, name, usage)
}

// String implements pflag.Value; the empty text is no limit.
func (f *durationFlag) String() string {
	if f.d == nil || *f.d == 0 {
		return ""
	}
	return f.d.String()
}

// Type implements pflag.Value.
func (f *durationFlag) Type() string { return "duration" }

// Set implements pflag.Value.
func (f *durationFlag) Set(text string) error {
	d, err := registry.ParseDuration(text)
	if err == nil {
		*f.d = d
	}
	return err
}
