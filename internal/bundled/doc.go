// Package bundled holds three recorded traces inside the program, so that it has
// something real to play without any file: crowd-corridor and crowd-bottleneck
// (people in a laboratory, measured; MIT) and halite-match (a game of four bots;
// Apache-2.0). Their manifest, expected values and licence texts are with them.
package bundled
