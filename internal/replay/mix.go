package replay

// Mix is the output function of SplitMix64.
func Mix(z uint64) uint64 {
	z += 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// RelHash returns the hash of a set of relations: the sum, modulo 2^64, of
// Mix(observer·2^32 + entity). It does not depend on their order.
func RelHash(relations []Relation) uint64 {
	var sum uint64
	for _, r := range relations {
		sum += Mix(r.Observer<<32 + r.Entity)
	}
	return sum
}

// ListHash returns the hash of one observer's ordered list of entities. The
// order counts, and an empty list has a hash too.
func ListHash(observer uint64, entities []uint64) uint64 {
	h := Mix(observer)
	for _, e := range entities {
		h = Mix(h ^ e)
	}
	return h
}
