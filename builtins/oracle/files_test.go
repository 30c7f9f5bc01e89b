package oracle_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: what oracles say of runs, as campaign files see it.
func TestFiles(t *testing.T) { scripttest.Files(t) }
