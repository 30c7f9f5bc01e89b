package reduce_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: what reducers find, as campaign files see it.
func TestFiles(t *testing.T) { scripttest.Files(t) }
