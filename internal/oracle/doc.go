// Package oracle is the definition of right: who has whom in view, who is within
// a radius, who is nearest, by plain loops over all pairs in 64-bit integers; whose body
// is in a shape, by cutting it to size in numbers p + q·√n, exact ([InCone]); who is
// sent what under a byte budget, by sorting all ([Pack]); and all of it tick by
// tick ([World]).
//
// There is no index, no float (but the distance that orders what is sent, which is
// one by definition) and no shortcut in it, and it imports nothing of ours, so it
// shares no mistake with what is held against it. It is for tests and for tools
// that verify.
//
// Space is in units, coordinates and radii below 2^30 in magnitude, so that no
// square overflows. All borders are inside. An entity has a height z, and within
// means dx² + dy² <= r² and |dz| <= H: a cylinder. Without heights every z and
// every H is 0.
package oracle
