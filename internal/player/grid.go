package player

// NewGrid is to be replaced by the real engine.
func NewGrid(c Config) (Engine, error) { return NewOracle(c) }
