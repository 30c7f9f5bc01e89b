package coordinator

import "fmt"

// show passes a print on to the user.
func (c *coordinator) show(text string) {
	before := c.prints.Left
	if text = c.prints.Pass(text); text != "" {
		c.cfg.Print(LinePrint, text)
	} else if before == 0 {
		c.cfg.Print(LinePrint, fmt.Sprintf("the campaign file has printed %d lines; from here on they are only counted", c.prints.Lines))
	}
}
