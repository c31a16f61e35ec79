package deps

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// tree is a parsed module.
type tree struct {
	module   string // its path
	gomod    string // the text of go.mod
	fset     *token.FileSet
	packages map[string]*pkg // by folder, "." for the root
}

// pkg is the Go files of one folder, whatever their build constraints.
type pkg struct {
	dir   string
	files []*file
}

// file is one Go file.
type file struct {
	name   string // within its folder
	syntax *ast.File
	test   bool
}

// imports returns the paths that f imports.
func (f *file) imports() (paths []string) {
	for _, spec := range f.syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			p = spec.Path.Value
		}
		paths = append(paths, p)
	}
	return paths
}

// load reads the module whose root is root.
func load(root fs.FS) (*tree, error) {
	gomod, err := fs.ReadFile(root, "go.mod")
	if err != nil {
		return nil, err
	}
	t := &tree{gomod: string(gomod), fset: token.NewFileSet(), packages: map[string]*pkg{}}
	for line := range strings.Lines(t.gomod) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			t.module = strings.TrimSpace(name)
		}
	}
	if t.module == "" {
		return nil, errors.New("deps: go.mod names no module")
	}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skip(root, name)
		case path.Ext(name) == ".go":
			return t.add(root, name)
		}
		return nil
	})
	return t, err
}

// skip returns fs.SkipDir for folders that are not part of the module.
func skip(root fs.FS, dir string) error {
	if dir == "." {
		return nil
	}
	base := path.Base(dir)
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// add parses one file.
func (t *tree) add(root fs.FS, name string) error {
	src, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(t.fset, name, src, parser.ParseComments)
	if err != nil {
		return err
	}
	dir, base := path.Dir(name), path.Base(name)
	if t.packages[dir] == nil {
		t.packages[dir] = &pkg{dir: dir}
	}
	t.packages[dir].files = append(t.packages[dir].files, &file{
		name:   base,
		syntax: syntax,
		test:   strings.HasSuffix(base, "_test.go"),
	})
	return nil
}

// all returns the packages in order of their folders.
func (t *tree) all() (pkgs []*pkg) {
	for _, p := range t.packages {
		pkgs = append(pkgs, p)
	}
	slices.SortFunc(pkgs, func(x, y *pkg) int { return strings.Compare(x.dir, y.dir) })
	return pkgs
}

// under reports whether dir is top or lies in it.
func under(dir, top string) bool {
	return dir == top || strings.HasPrefix(dir, top+"/")
}
