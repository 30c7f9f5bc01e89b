package campaign_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: what the module does, as campaign files see it.
func TestFiles(t *testing.T) { scripttest.Files(t) }
