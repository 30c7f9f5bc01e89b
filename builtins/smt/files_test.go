package smt_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: what the module smt makes, as campaign files see it.
func TestFiles(t *testing.T) { scripttest.Files(t) }
