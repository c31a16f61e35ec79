package replay

// MaxCoord is the largest magnitude of a coordinate, in units.
const MaxCoord = 1<<30 - 1

// MaxID is the largest entity ID in a trace: the hashes of the expected values
// put two IDs into one 64-bit number.
const MaxID = 1<<32 - 1

// Tick is one tick of a trace in columns: row i is ID[i] at (X[i], Y[i]), in
// units. All columns have the same length, and ID ascends strictly. Team -1 is
// no team. A Reader reuses the columns, so whoever keeps one copies it.
type Tick struct {
	Number uint64
	ID     []uint64
	X, Y   []int32
	Kind   []int32
	Team   []int32
}

// Len returns the number of entities present.
func (t *Tick) Len() int { return len(t.ID) }

// Reset empties the columns, keeps their memory, and sets the number.
func (t *Tick) Reset(number uint64) {
	t.Number = number
	t.ID, t.X, t.Y = t.ID[:0], t.X[:0], t.Y[:0]
	t.Kind, t.Team = t.Kind[:0], t.Team[:0]
}

// Append adds one row. The caller keeps ID ascending.
func (t *Tick) Append(id uint64, x, y, kind, team int32) {
	t.ID = append(t.ID, id)
	t.X = append(t.X, x)
	t.Y = append(t.Y, y)
	t.Kind = append(t.Kind, kind)
	t.Team = append(t.Team, team)
}
