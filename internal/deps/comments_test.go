package deps

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"path"
	"slices"
	"strings"
)

// checkComments returns every package and every exported name without a
// comment, and every library package without an example that runs.
func checkComments(t *tree) (problems []string) {
	for _, p := range t.all() {
		described := false
		name := "" // of the package; empty if there are only tests
		for _, f := range p.files {
			if f.test {
				continue
			}
			name = f.syntax.Name.Name
			described = described || f.syntax.Doc.Text() != ""
			for _, undocumented := range exportedWithoutComment(f.syntax) {
				problems = append(problems, fmt.Sprintf("%s: %s has no doc comment", path.Join(p.dir, f.name), undocumented))
			}
		}
		if name == "" {
			continue
		}
		if !described {
			problems = append(problems, fmt.Sprintf("%s: no package comment", p.dir))
		}
		if isLibrary(p.dir) && name != "main" && !hasExample(p) {
			problems = append(problems, fmt.Sprintf("%s: no Example with an output", p.dir))
		}
	}
	return problems
}

// isLibrary reports whether the package is there for users of the module.
func isLibrary(dir string) bool {
	return dir == "." || !isFree(dir) && !slices.Contains(strings.Split(dir, "/"), "internal")
}

// hasExample reports whether a test file has an example that go test runs.
func hasExample(p *pkg) bool {
	for _, f := range p.files {
		if !f.test {
			continue
		}
		for _, e := range doc.Examples(f.syntax) {
			if e.Output != "" || e.EmptyOutput {
				return true
			}
		}
	}
	return false
}

// exportedWithoutComment returns the exported names that f declares at its top
// level without a doc comment. Fields, and methods of interfaces and of
// unexported types, need none.
func exportedWithoutComment(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name, exported := funcName(d)
			if exported && d.Doc.Text() == "" {
				names = append(names, name)
			}
		case *ast.GenDecl:
			names = append(names, bareSpecs(d)...)
		}
	}
	return names
}

// funcName returns "F" or "T.F", and whether others can see it.
func funcName(d *ast.FuncDecl) (name string, exported bool) {
	if d.Recv == nil {
		return d.Name.Name, d.Name.IsExported()
	}
	recv := d.Recv.List[0].Type
	for {
		switch x := recv.(type) {
		case *ast.StarExpr:
			recv = x.X
		case *ast.ParenExpr:
			recv = x.X
		case *ast.IndexExpr: // T[P]
			recv = x.X
		case *ast.IndexListExpr: // T[P, Q]
			recv = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name, x.IsExported() && d.Name.IsExported()
		default:
			return d.Name.Name, d.Name.IsExported()
		}
	}
}

// bareSpecs returns the exported types, constants and variables of d that have
// no comment. A comment on a group of constants or variables is for all of them;
// one on a group of types is not.
func bareSpecs(d *ast.GenDecl) (names []string) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			own := d.Doc.Text()
			if d.Lparen != token.NoPos {
				own = ""
			}
			if s.Name.IsExported() && own+s.Doc.Text()+s.Comment.Text() == "" {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.IsExported() && d.Doc.Text()+s.Doc.Text()+s.Comment.Text() == "" {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}
