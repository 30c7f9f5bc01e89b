package solving_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: what solvers, runs and front ends do, as campaign files see it.
func TestFiles(t *testing.T) { scripttest.Files(t) }
