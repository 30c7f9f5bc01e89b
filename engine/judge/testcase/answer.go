package testcase

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// Answer is a solver's answer to a question that a technique asked to make a case, such as for a model of a seed. The
// case follows from the campaign, its seeds, the seed of its random numbers, its own number, and these.
type Answer struct {
	What     string `json:"what"`           // was asked for: model, core or WhatItTakes
	Of       string `json:"of"`             // name of the script that the question was about
	By       string `json:"by"`             // the solver, or those that were asked in turn
	Question string `json:"question"`       // hash of that script
	Hash     string `json:"hash"`           // of the text
	Text     string `json:"text,omitempty"` // "" where the solver had no answer, and where it is stored elsewhere
}

// NewAnswer returns the answer to a question about a script.
func NewAnswer(what, of, by, script, text string) *Answer {
	return &Answer{What: what, Of: of, By: by, Question: shortHash(script), Hash: shortHash(text), Text: text}
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// String describes the question and who was asked.
func (a *Answer) String() string {
	what := a.What
	if a.What == WhatItTakes {
		return fmt.Sprintf("list of what %s takes", a.By)
	}
	if a.Hash == shortHash("") {
		what = "lack of a " + what
	}
	return fmt.Sprintf("%s of %s by %s", what, a.Of, a.By)
}

// WhatItTakes marks questions about the operators, options and commands that a solver takes.
const WhatItTakes = "profile"

// Answers are recorded answers.
type Answers []Answer

// Find returns the answer to a question about a script: by the solver itself if it was asked, else by the only one that
// was. nil means that there is none.
func (as Answers) Find(what, by, script string) *Answer {
	var found []*Answer
	question := shortHash(script)
	for i := range as {
		a := &as[i]
		if a.What == what && a.Question == question {
			if a.By == by {
				return a
			}
			found = append(found, a)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// DecodeAnswers reads the file that a finding's folder has answers in.
func DecodeAnswers(text []byte) (Answers, error) {
	out := Answers{}
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("%w; want answers.json from the folder of a finding", err)
	}
	for i := range out {
		if a := &out[i]; len(a.Hash) < 8 || a.Hash != shortHash(a.Text) {
			return nil, fmt.Errorf("the %s was changed: its text does not have the hash %s", a, a.Hash)
		}
	}
	return out, nil
}

// Contradicts returns the first answer to a question that is recorded with a different answer only; nil if there is
// none.
func (as Answers) Contradicts(recorded Answers) *Answer {
	for i := range as {
		a := &as[i]
		same := func(b Answer) bool { return b.What == a.What && b.Question == a.Question }
		if slices.ContainsFunc(recorded, same) && !slices.ContainsFunc(recorded, func(b Answer) bool { return same(b) && b.Hash == a.Hash }) {
			return a
		}
	}
	return nil
}

// WithoutText returns the answers without their texts.
func (as Answers) WithoutText() Answers {
	out := slices.Clone(as)
	for i := range out {
		out[i].Text = ""
	}
	return out
}

// RestsOn says, in words, which answers of solvers a case was made with, so that another machine may make another one;
// "" where there are none.
func (as Answers) RestsOn() string {
	switch len(as) {
	case 0:
		return ""
	case 1:
		return "the " + as[0].String()
	case 2:
		return fmt.Sprintf("the %s and one more answer", &as[0])
	}
	return fmt.Sprintf("the %s and %d more answers", &as[0], len(as)-1)
}

// Hash tells cases apart: it is made of the script, of the known facts about its answers, and of the witness.
func (c *Case) Hash() string {
	h := fnv.New64a()
	h.Write(c.Text())
	fmt.Fprintf(h, "|%v|", c.Expect)
	if c.Witness != nil {
		h.Write([]byte(c.Witness.Text()))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Identity returns the key by which a command that makes the case again checks that it is the same: the hash of the
// case, and those of the answers that it was made with.
func (c *Case) Identity() string {
	parts := []string{c.Hash()}
	for i := range c.Origin.Answers {
		parts = append(parts, c.Origin.Answers[i].Hash[:8])
	}
	return strings.Join(parts, ".")
}

// Differs explains why a case is not the one with an identity; "" if it is.
func (c *Case) Differs(identity string) string {
	hash, answers, _ := strings.Cut(identity, ".")
	if c.Hash() == hash {
		return ""
	}
	var want []string
	if answers != "" {
		want = strings.Split(answers, ".")
	}
	here := c.Origin.Answers
	for i := range min(len(want), len(here)) {
		if a := &here[i]; !strings.HasPrefix(a.Hash, want[i]) {
			return fmt.Sprintf("it was made with another %s: here there is the %s; --answers FILE takes those that were recorded, answers.json in the folder of the finding", a.What, a)
		}
	}
	switch {
	case len(want) > len(here):
		return fmt.Sprintf("it was made with %d answers of solvers, and here with %d: another solver, seed or version of the campaign file", len(want), len(here))
	case len(want) < len(here):
		return fmt.Sprintf("it was made without the %s", &here[len(want)])
	}
	return "the campaign file, a module that it loads, a seed, a setting or smtlark itself is another one"
}
