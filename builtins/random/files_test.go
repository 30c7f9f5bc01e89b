package random_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: streams of random numbers as campaign files see them.
func TestFiles(t *testing.T) { scripttest.Files(t) }
