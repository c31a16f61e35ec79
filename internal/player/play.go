package player

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"vicinity/internal/replay"
)

// ErrEngine means that what an engine says cannot be: relations that come twice,
// out of order, or in another number than counted. The trace is not to blame.
var ErrEngine = errors.New("player: engine contradicts itself")

// Job says what to play and what to find out.
type Job struct {
	Source    replay.Source
	Transform replay.Transform // its bounds are checked
	Tiling    replay.Tiling    // of the transformed trace
	Engine    Engine           // stays the caller's, who closes it
	AOI       bool             // fill Step.AOI
	Nearest   []uint64         // ticks at which to fill Step.Nearest, ascending
	NearestK  int              // length at which a list is cut; 0 is replay.NearestK
	Each      func(*Step) error
}

// Step is what came of one tick. It is valid during the call of Each.
type Step struct {
	Tick      uint64
	Counts    Counts
	Relations []replay.Relation  // all that hold, sorted
	Packed    *replay.Packed     // what was sent; nil without a budget
	AOI       replay.AOIRow      // zero unless the job asks for it
	Nearest   *replay.NearestRow // nil unless the job asks for it at this tick
}

// Report sums a run up. The times are a tick's: Read is reading the trace,
// Publish and Update are the engine's, Output is listing and hashing what holds,
// and Total is all of these without Read.
type Report struct {
	Ticks      uint64
	Entities   int64 // present entities, summed over all ticks
	PresentMax int
	Pairs      int64 // relations that held, summed over all ticks
	PairsMax   int
	Enters     int64
	Leaves     int64
	Candidates int64
	Culled     int64
	Packed     *PackedReport // nil without a budget
	Digest     uint64

	Read, Publish, Update, Output, Total Spread
}

// Play plays the whole trace. It stops with the error of the trace, the engine,
// Each, or, between two ticks, the context.
func Play(ctx context.Context, job Job) (*Report, error) {
	r, err := replay.Open(job.Source)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p := &run{job: job, digest: replay.NewDigest()}
	if p.job.NearestK == 0 {
		p.job.NearestK = replay.NearestK
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := time.Now()
		err := p.read(r)
		if err == io.EOF {
			return p.finish(), nil
		}
		if err != nil {
			return nil, err
		}
		p.times[stageRead] = append(p.times[stageRead], time.Since(start))
		if err := p.tick(); err != nil {
			return nil, err
		}
	}
}

const (
	stageRead = iota
	stagePublish
	stageUpdate
	stageOutput
	stageTotal
	stages
)

// run is the state of one Play.
type run struct {
	job     Job
	plain   replay.Tick  // as read
	tiled   replay.Tick  // its copies
	now     *replay.Tick // the one to play
	step    Step
	nearest replay.NearestRow
	digest  *replay.Digest
	packed  packedSum
	report  Report
	times   [stages][]time.Duration
}

// read fetches the next tick and puts it where the job wants it.
func (p *run) read(r *replay.Reader) error {
	if err := r.Next(&p.plain); err != nil {
		return err
	}
	p.job.Transform.Apply(&p.plain)
	p.now = &p.plain
	if p.job.Tiling.Copies() > 1 {
		p.job.Tiling.Expand(&p.tiled, &p.plain)
		p.now = &p.tiled
	}
	return nil
}

// tick plays one tick and counts it in.
func (p *run) tick() error {
	t := p.now
	counts, times, err := p.job.Engine.Tick(t)
	if err != nil {
		return fmt.Errorf("tick %d: %w", t.Number, err)
	}
	start := time.Now()
	p.step.Tick, p.step.Counts = t.Number, counts
	if err := p.output(); err != nil {
		return fmt.Errorf("tick %d: %w", t.Number, err)
	}
	output := time.Since(start) + times.Output
	p.times[stagePublish] = append(p.times[stagePublish], times.Publish)
	p.times[stageUpdate] = append(p.times[stageUpdate], times.Update)
	p.times[stageOutput] = append(p.times[stageOutput], output)
	p.times[stageTotal] = append(p.times[stageTotal], times.Publish+times.Update+output)
	p.count(counts)
	if p.job.Each == nil {
		return nil
	}
	return p.job.Each(&p.step)
}

// output asks the engine for what the job wants to know.
func (p *run) output() error {
	s := &p.step
	s.Relations = p.job.Engine.AppendRelations(s.Relations[:0])
	if held := s.Counts.Enter + s.Counts.Keep; held != len(s.Relations) {
		return fmt.Errorf("%w: %d are counted, %d listed", ErrEngine, held, len(s.Relations))
	}
	for i := 1; i < len(s.Relations); i++ {
		if s.Relations[i-1].Compare(s.Relations[i]) >= 0 {
			return fmt.Errorf("%w: %v listed before %v", ErrEngine, s.Relations[i-1], s.Relations[i])
		}
	}
	p.digest.Add(s.Tick, s.Relations)
	if err := p.pack(); err != nil {
		return err
	}
	if err := p.aoi(); err != nil {
		return err
	}
	return p.near()
}

// pack takes over what was sent.
func (p *run) pack() error {
	s := &p.step
	s.Packed = p.job.Engine.Packed()
	if s.Packed == nil {
		return nil
	}
	s.Packed.Culled = s.Counts.Culled
	if err := checkPacked(s.Packed); err != nil {
		return err
	}
	p.digest.AddPacked(s.Packed)
	p.packed.add(s.Packed)
	return nil
}

func (p *run) aoi() error {
	if !p.job.AOI {
		return nil
	}
	within, err := p.job.Engine.Within()
	if err != nil {
		return err
	}
	c := &p.step.Counts
	p.step.AOI = replay.AOIRow{
		Tick: p.step.Tick, Present: c.Present, Within: within,
		Enter: c.Enter, Keep: c.Keep, Leave: c.Leave,
		RelHash: replay.RelHash(p.step.Relations),
	}
	return nil
}

func (p *run) near() error {
	p.step.Nearest = nil
	if _, asked := slices.BinarySearch(p.job.Nearest, p.step.Tick); !asked {
		return nil
	}
	p.nearest = replay.NearestRow{Tick: p.step.Tick}
	p.step.Nearest = &p.nearest
	return p.job.Engine.Nearest(p.job.NearestK, p.nearest.Add)
}

func (p *run) count(c Counts) {
	r := &p.report
	r.Ticks++
	r.Entities += int64(c.Present)
	r.PresentMax = max(r.PresentMax, c.Present)
	r.Pairs += int64(c.Enter) + int64(c.Keep)
	r.PairsMax = max(r.PairsMax, c.Enter+c.Keep)
	r.Enters += int64(c.Enter)
	r.Leaves += int64(c.Leave)
	r.Candidates += int64(c.Candidates)
	r.Culled += int64(c.Culled)
}

func (p *run) finish() *Report {
	r := &p.report
	r.Digest = p.digest.Sum64()
	r.Packed = p.packed.report()
	r.Read = spreadOf(p.times[stageRead])
	r.Publish = spreadOf(p.times[stagePublish])
	r.Update = spreadOf(p.times[stageUpdate])
	r.Output = spreadOf(p.times[stageOutput])
	r.Total = spreadOf(p.times[stageTotal])
	return r
}
