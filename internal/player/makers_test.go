package player

// makers are the engines under test; the first is the definition.
var makers = []maker{
	{"oracle", NewOracle, 200_000},
	{"grid", NewGrid, 400_000},
	{"world", NewWorld, 40_000},
}
