package manager_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: what the manager of a case has and makes, as campaign files see it.
func TestFiles(t *testing.T) { scripttest.Files(t) }
