//go:build !linux

package confine

import "errors"

type support struct{}

func supported() support { return support{} }

func (support) describeProtection() []string { return nil }

func (support) confineThread(string) error { return errors.ErrUnsupported }

func (support) cutsNetwork() bool { return false }

func (support) whyFilesUnprotected() string { return "smtlark does that on Linux only" }

func onFirstThread() bool { return false }
