//go:build !linux

package confine

import "errors"

type support struct{}

func supported() support { return support{} }

func (support) holds() []string { return nil }

func (support) bind(string) error { return errors.ErrUnsupported }

func (support) lacks() string { return "smtlark does that on Linux only" }
