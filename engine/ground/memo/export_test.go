package memo

import (
	"testing"
	"time"
)

// Quiet makes files count as unchanged for d during a test.
func Quiet(t *testing.T, d time.Duration) {
	before := quiet
	quiet = d
	t.Cleanup(func() { quiet = before })
}

// OfBuild is ForProgram for a program by its path and its stamp.
func (c *Cache) OfBuild(program, stamp string) *Cache { return c.ofBuild(program, stamp) }
