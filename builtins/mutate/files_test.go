package mutate_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: what mutations keep and change, as campaign files see it.
func TestFiles(t *testing.T) { scripttest.Files(t) }
