package api_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: machines, walks and probes, as campaign files see them.
func TestFiles(t *testing.T) { scripttest.Files(t) }
