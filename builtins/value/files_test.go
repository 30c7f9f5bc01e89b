package value_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestFiles: what cases, terms, models and corpora do, as campaign files see it.
func TestFiles(t *testing.T) { scripttest.Files(t) }
