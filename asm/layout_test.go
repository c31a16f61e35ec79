package asm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/bits"
	"os"
	"reflect"
	"strconv"
	"testing"
	"unsafe"
)

// layoutFile is where the generator of the amd64 kernels keeps the offsets.
const layoutFile = "../tools/asmgen/layout.go"

// readLayout returns the constants of layoutFile.
func readLayout(t *testing.T) map[string]uint64 {
	t.Helper()
	if _, err := os.Stat("../tools/asmgen"); os.IsNotExist(err) {
		t.Skip("the generator is not part of this copy")
	}
	file, err := parser.ParseFile(token.NewFileSet(), layoutFile, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]uint64{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			if i >= len(spec.Values) {
				t.Fatalf("%s: %s has no value of its own", layoutFile, name)
			}
			literal, ok := spec.Values[i].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s: %s is no number", layoutFile, name)
			}
			v, err := strconv.ParseUint(literal.Value, 0, 64)
			if err != nil {
				t.Fatalf("%s: %s: %v", layoutFile, name, err)
			}
			constants[name.Name] = v
		}
		return true
	})
	return constants
}

// TestLayout holds the generator's offsets against the structs, both ways: every
// field that has a constant, and every constant that names a field.
func TestLayout(t *testing.T) {
	if bits.UintSize != 64 {
		t.Skip("only 64-bit builds have kernels")
	}
	constants := readLayout(t)
	for prefix, of := range map[string]reflect.Type{
		"cells":  reflect.TypeFor[Cells](),
		"block":  reflect.TypeFor[Block](),
		"limit":  reflect.TypeFor[Limit](),
		"disc":   reflect.TypeFor[Disc](),
		"pair":   reflect.TypeFor[Pair](),
		"torus":  reflect.TypeFor[Torus](),
		"place":  reflect.TypeFor[Placement](),
		"extent": reflect.TypeFor[Extent](),
		"piece":  reflect.TypeFor[rankPiece](),
		"costs":  reflect.TypeFor[Costs](),
		"hot":    reflect.TypeFor[Hot](),
		"scan":   reflect.TypeFor[Scan](),
		"grades": reflect.TypeFor[Grades](),
	} {
		for i := range of.NumField() {
			field := of.Field(i)
			name := prefix + field.Name
			offset, ok := constants[name]
			if !ok {
				t.Errorf("%s.%s: no constant %s", of.Name(), field.Name, name)
			}
			if offset != uint64(field.Offset) {
				t.Errorf("%s is %d; want %d, the offset of %s.%s", name, offset, field.Offset, of.Name(), field.Name)
			}
			delete(constants, name)
		}
	}
	for name, flag := range map[string]Flags{"flagHeight": WithHeight, "flagMask": WithMask, "flagNarrow": Narrow} {
		if got, ok := constants[name]; !ok || got != uint64(flag) {
			t.Errorf("%s is %d (%v); want %d", name, got, ok, flag)
		}
		delete(constants, name)
	}
	for name, v := range constants {
		t.Errorf("%s = %d names no field", name, v)
	}
}

// TestLayoutOfElements holds what the kernels know without a constant: how large
// an element of a list of structs is, and what is in it.
func TestLayoutOfElements(t *testing.T) {
	var h Hit
	if s, o := unsafe.Sizeof(h), unsafe.Offsetof(h.Dist2); s != 8 || o != 4 || unsafe.Offsetof(h.Slot) != 0 {
		t.Errorf("Hit has %d bytes, Slot at %d, Dist2 at %d; want 8, 0, 4", s, unsafe.Offsetof(h.Slot), o)
	}
	if s := unsafe.Sizeof([2]int32{}); s != 8 {
		t.Errorf("a position has %d bytes; want 8", s)
	}
	if s := unsafe.Sizeof(Hot{}); s != 8 {
		t.Errorf("Hot has %d bytes; want 8", s)
	}
	if s := unsafe.Sizeof(Limit{}); s != 16 {
		t.Errorf("Limit has %d bytes; want 16", s)
	}
	if Slack < 16 {
		t.Errorf("Slack is %d; the widest vector has 16 elements", Slack)
	}
}
