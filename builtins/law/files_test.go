package law_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: laws as campaign files see them.
func TestFiles(t *testing.T) { scripttest.Files(t) }
