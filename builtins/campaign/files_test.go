package campaign_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles tests the module from campaign files.
func TestFiles(t *testing.T) { scripttest.Files(t) }
