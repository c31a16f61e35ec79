package main

// Byte offsets of the fields that kernels read: asm/layout_test.go compares them
// with the Go structs.
const (
	cellsX       = 0
	cellsY       = 24
	cellsZ       = 48
	cellsOldX    = 72
	cellsOldY    = 96
	cellsOldZ    = 120
	cellsSlot    = 144
	cellsNeed    = 168
	cellsAny     = 192
	cellsStart   = 216
	cellsLogW    = 240
	cellsRowMask = 244

	blockRow    = 0
	blockRows   = 4
	blockCol    = 8
	blockColEnd = 12
	blockSeen   = 16

	limitLo = 0
	limitHi = 4
	limitR2 = 8

	discX           = 0
	discY           = 4
	discZ           = 8
	discOuterHeight = 12
	discInnerHeight = 16
	discMask        = 20
	discOuter       = 24
	discInner       = 40
	discFlags       = 56

	pairX           = 0
	pairY           = 4
	pairZ           = 8
	pairOldX        = 12
	pairOldY        = 16
	pairOldZ        = 20
	pairOuterHeight = 24
	pairInnerHeight = 28
	pairOuter       = 32
	pairInner       = 48
	pairFlags       = 64

	torusShiftX  = 0
	torusShiftY  = 4
	torusColMask = 8
	torusRowMask = 12
	torusLogW    = 16

	placeCell   = 0
	placeX      = 24
	placeY      = 48
	placeSlot   = 72
	placeToX    = 96
	placeToY    = 120
	placeToSlot = 144
	placePerm   = 168

	extentX0 = 0
	extentY0 = 4
	extentX1 = 8
	extentY1 = 12

	pieceKeys       = 0
	pieceCosts      = 24
	piecePriority   = 48
	pieceDist2      = 72
	pieceCost       = 96
	pieceClass      = 120
	pieceWaited     = 144
	pieceWeight     = 168
	pieceClassCount = 176
	pieceBase       = 180

	gradesBetter = 0
	gradesWorse  = 32

	costsSum   = 0
	costsLeast = 8
	costsMost  = 12

	hotChanged = 0
	hotRank    = 4
	hotClass   = 6
	hotLeast   = 7

	scanKnown   = 0
	scanWaits   = 24
	scanOffered = 48
	scanStarves = 72
	scanSlot    = 96
	scanSent    = 120
	scanSince   = 144
	scanDist2   = 168
	scanHot     = 192
	scanXY      = 216
	scanX       = 240
	scanY       = 244
	scanNow     = 248
	scanRank    = 252
	scanDist    = 256
	scanUntil   = 260
	scanWeight  = 264
	scanSilence = 328
	scanLeast   = 392
	scanOldest  = 396

	flagHeight = 1
	flagMask   = 2
	flagNarrow = 4
)
