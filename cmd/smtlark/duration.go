package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/smtlark/smtlark/builtins/registry"
)

// duration is a flag of a time from 0 up, written as in campaign files: 90s, 8h, 2d, or a plain number of seconds.
type duration struct{ d *time.Duration }

// durationFlag adds such a flag.
func durationFlag(fs *pflag.FlagSet, d *time.Duration, name string, value time.Duration, usage string) {
	*d = value
	fs.Var(&duration{d}, name, usage)
}

// String implements pflag.Value; the empty text is no limit.
func (f *duration) String() string {
	if f.d == nil || *f.d == 0 {
		return ""
	}
	return f.d.String()
}

// Type implements pflag.Value.
func (f *duration) Type() string { return "duration" }

// Set implements pflag.Value.
func (f *duration) Set(text string) error {
	d, err := registry.ParseDuration(text)
	if err == nil {
		*f.d = d
	}
	return err
}
