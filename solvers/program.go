package solvers

import (
	"cmp"
	"regexp"
	"strings"
)

// Program says which programs are of this kind and how they are started.
type Program struct {
	Binaries      []string `star:"binaries" doc:"file names to look for, with * and ? and [0-9] as in a shell"`
	DebugBinaries []string `star:"debug_binaries" doc:"file names of debug builds, which are asked about reduced findings only; by default NAME-debug and NAME-debug-*"`
	VersionArgs   []string `star:"version_args" doc:"arguments that make it print its version"`
	Version       string   `star:"version" doc:"regular expression over that output; its first group is the version"`
	BuildArgs     []string `star:"build_args" doc:"arguments that make it print how it was configured and built"`
	Modes         []string `star:"modes" doc:"modes it can be used in: fresh, reset, incremental"`

	Args            []string `star:"args" doc:"arguments in every mode"`
	TryArgs         []string `star:"try_args" doc:"more arguments in every mode, each dropped when the binary found does not know it"`
	FreshArgs       []string `star:"fresh_args" doc:"arguments in mode fresh; the file name follows"`
	SessionArgs     []string `star:"session_args" doc:"arguments that make it read commands from its standard input and answer each at once"`
	IncrementalArgs []string `star:"incremental_args" doc:"arguments it needs for push and pop or more than one check-sat"`
	SynthesisArgs   []string `star:"synthesis_args" doc:"arguments it needs in mode fresh for functions to synthesise: synth-fun and check-synth of SyGuS-IF"`
	Env             []string `star:"env" doc:"environment settings, each NAME=value"`
	MemoryLimit     string   `star:"memory_limit" doc:"what the memory limit bounds: data (RLIMIT_DATA), address (RLIMIT_AS), or resident (sampled; for builds with sanitizers)"`

	version *regexp.Regexp // compiled
}

// fillDefaults sets empty fields to the values that most programs need; name is the name of the kind of solver.
func (p *Program) fillDefaults(name string) {
	p.Version = cmp.Or(p.Version, `(\d+(?:\.\d+)+\S*)`)
	p.MemoryLimit = cmp.Or(p.MemoryLimit, "data")
	if p.Modes == nil {
		p.Modes = []string{"fresh"}
	}
	if p.DebugBinaries == nil && len(p.Binaries) > 0 {
		p.DebugBinaries = []string{name + "-debug", name + "-debug-*"}
	}
	if p.VersionArgs == nil {
		p.VersionArgs = []string{"--version"}
	}
}

func (p *Program) check() error {
	if p.Binaries == nil {
		return fieldError("binaries", "is missing; give the file names to look for")
	}
	for _, m := range p.Modes {
		if k, ok := ParseMode(m); !ok || k == Native { // a library is no program
			return fieldError("modes", "%q is no mode; want some of fresh, reset, incremental", m)
		}
	}
	if len(p.Modes) == 0 {
		return fieldError("modes", "is empty; want some of fresh, reset, incremental")
	}
	for _, e := range p.Env {
		if strings.IndexByte(e, '=') <= 0 {
			return fieldError("env", "%q is no NAME=value", e)
		}
	}
	if err := checkWord("memory_limit", p.MemoryLimit, "data address resident"); err != nil {
		return err
	}
	re, err := regexp.Compile(p.Version)
	if err != nil {
		return fieldError("version", "is no regular expression: %v", err)
	}
	if re.NumSubexp() < 1 {
		return fieldError("version", "%q has no group; put the version number in parentheses", p.Version)
	}
	p.version = re
	return nil
}

// ModeList returns the modes in table order.
func (p *Program) ModeList() []Mode {
	var modes []Mode
	for _, m := range Modes() {
		for _, name := range p.Modes {
			if name == string(m) {
				modes = append(modes, m)
			}
		}
	}
	return modes
}
