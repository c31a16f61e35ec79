package deps

import (
	"fmt"
	"strings"
)

// checkRequirements returns every direct requirement of go.mod that is not one
// of the outsiders, and every replacement: a library's go.mod must mean the same
// to those who import it.
func checkRequirements(t *tree) (problems []string) {
	block := ""
	for line := range strings.Lines(t.gomod) {
		code, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		switch {
		case len(words) == 0:
			continue
		case words[0] == ")":
			block = ""
			continue
		case len(words) == 2 && words[1] == "(":
			block = words[0]
			continue
		case block != "":
			words = append([]string{block}, words...)
		}
		switch {
		case words[0] == "replace" || words[0] == "exclude":
			problems = append(problems, "go.mod: "+strings.Join(words, " ")+": none in a library")
		case words[0] == "tool":
			problems = append(problems, "go.mod: "+strings.Join(words, " ")+": tools are a module of their own")
		case words[0] == "require" && strings.TrimSpace(comment) != "indirect" && !isOutsider(words):
			problems = append(problems, fmt.Sprintf("go.mod: %s: not one of the outside packages agreed on", strings.Join(words, " ")))
		}
	}
	return problems
}

// isOutsider reports whether a require line, in words, names an outsider.
func isOutsider(words []string) bool {
	for _, o := range outsiders {
		if len(words) == 3 && words[1] == o.path {
			return true
		}
	}
	return false
}
