package procpool

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// kind says what a frame holds.
type kind byte

// What the pool asks.
const (
	askScenario kind = iota + 1 // a playground.Scenario as JSON
	askQuestion                 // a playground.Question as JSON
)

// What a child answers.
const (
	tellReport     kind = iota + 101 // a playground.Report as JSON
	tellHelp                         // a playground.Help as JSON
	tellInvalid                      // a playground.InvalidScenarioError as JSON
	tellUnreadable                   // nothing: playground.ErrUnreadable
	tellFailure                      // an error's text
)

// frame is how the pool and a child talk: the kind, the length of the data in
// four bytes, and the data.
type frame struct {
	kind kind
	data []byte
}

// bufferSize is that of a pipe in Linux: what fits into it is written at once.
const bufferSize = 64 << 10

func newFrameWriter(output io.Writer) *bufio.Writer { return bufio.NewWriterSize(output, bufferSize) }

func newFrameReader(input io.Reader) *bufio.Reader { return bufio.NewReaderSize(input, bufferSize) }

func (f frame) write(output *bufio.Writer) error {
	header := binary.BigEndian.AppendUint32([]byte{byte(f.kind)}, uint32(len(f.data)))
	// A writer that has failed fails again.
	_, _ = output.Write(header)
	_, _ = output.Write(f.data)
	return output.Flush()
}

func readFrame(input *bufio.Reader) (frame, error) {
	var header [5]byte
	if _, err := io.ReadFull(input, header[:]); err != nil {
		return frame{}, fmt.Errorf("read from another process: %w", err)
	}
	f := frame{kind(header[0]), make([]byte, binary.BigEndian.Uint32(header[1:]))}
	if _, err := io.ReadFull(input, f.data); err != nil {
		return frame{}, fmt.Errorf("read from another process: %w", err)
	}
	return f, nil
}
