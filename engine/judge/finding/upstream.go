package finding

import "github.com/smtlark/smtlark/solvers/build"

// Configurations of trials beside those that a profile names.
const (
	TrialDefault = "default"         // the program and the file
	TrialOption  = "one option"      // and one of the arguments and options of the target
	TrialOptions = "several options" // and all of them
	TrialDebug   = "debug build"     // a debug build, in the mildest configuration that shows the finding
	TrialVersion = "other build"     // another build, in the same
)

// Trial is a reduced case asked of a program: PROGRAM ARGS FILE.
type Trial struct {
	Configuration string      `json:"configuration"` // one of the constants above, or a name of the profile
	Kind          string      `json:"kind"`          // of the solver
	Version       string      `json:"version"`
	Path          string      `json:"path"` // of the program
	Args          []string    `json:"args,omitempty"`
	Experimental  []string    `json:"experimental,omitempty"` // of Args
	Build         *build.Info `json:"build,omitempty"`
	// SameBuild says that the program is of the build that showed the finding, as far as is known.
	SameBuild bool `json:"same_build,omitempty"`
	Shows     bool `json:"shows"` // the finding
	Run       Run  `json:"run"`
}

// Upstream has the content of a report to the developers of a solver beyond the case.
type Upstream struct {
	Trials  []Trial `json:"trials"`
	Options int     `json:"options"` // that the case itself sets, but for those that say what is printed
	Built   string  `json:"built,omitempty"`
	Tracker string  `json:"tracker,omitempty"`
	Issue   string  `json:"issue,omitempty"` // see Profile.Issue
	// Undocumented lists the parts of the case that the solver takes beyond the documents of its developers, such as
	// "bvite of Bool".
	Undocumented []string `json:"undocumented,omitempty"`
}
