package reduce

import "fmt"

// PassList lists the passes with their descriptions, as Markdown; with ofTerms only those over terms.
func PassList(ofTerms bool) string {
	doc := ""
	for _, p := range Passes() {
		if p.Terms || !ofTerms {
			doc += fmt.Sprintf("\n- `%s`: %s", p.Name, p.Doc)
		}
	}
	return doc
}
