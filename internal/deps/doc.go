// Package deps holds no code, only tests about the module as a whole. They read
// every Go file of it (but not those of nested modules, nor testdata) and go.mod,
// and hold:
//
//   - who may import whom inside the module: the arrows (arrows_test.go);
//   - which outside packages there are, and who may import them;
//   - that every package has a package comment, every exported name a doc comment,
//     and every package of the library an example that runs (comments_test.go).
//
// An arrow that has to change is changed in its table, together with a design
// note that says why. The checks themselves are tested on a small module with
// planted faults (planted_test.go).
package deps
