package player

// makers are the engines under test; the first is the definition.
var makers = []maker{
	{"oracle", NewOracle, false},
	{"grid", NewGrid, true},
}
