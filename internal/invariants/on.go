//go:build invariants

package invariants

// Enabled says that this build checks its invariants.
const Enabled = true
