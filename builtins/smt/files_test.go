package smt_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles tests the module smt from campaign files.
func TestFiles(t *testing.T) { scripttest.Files(t) }
