package corpus_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: seeds in files, as campaign files see them.
func TestFiles(t *testing.T) { scripttest.Files(t) }
