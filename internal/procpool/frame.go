package procpool

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// kind identifies the contents of a frame.
type kind byte

// Requests of the pool.
const (
	requestEvaluation kind = iota + 1 // a playground.Scenario as JSON
	requestAssist                     // a playground.AssistRequest as JSON
)

// Replies of a child.
const (
	replyReport     kind = iota + 101 // a playground.Report as JSON
	replyHelp                         // a playground.AssistResponse as JSON
	replyInvalid                      // a playground.InvalidScenarioError as JSON
	replyUnreadable                   // no data; means playground.ErrUnreadable
	replyFailure                      // the message of an error
)

// frame is a message between the pool and a child. Its wire format is the
// kind (1 byte), the length of the data (4 bytes, big-endian) and the data. In
// contrast to net/rpc, frames pass JSON through unchanged, start no goroutines, and
// preserve the kind of an error.
type frame struct {
	kind kind
	data []byte
}

// bufferSize is the default size of a Linux pipe. A write of this size needs one
// system call.
const bufferSize = 64 << 10

func newFrameWriter(output io.Writer) *bufio.Writer { return bufio.NewWriterSize(output, bufferSize) }

func newFrameReader(input io.Reader) *bufio.Reader { return bufio.NewReaderSize(input, bufferSize) }

func (f frame) write(output *bufio.Writer) error {
	header := binary.BigEndian.AppendUint32([]byte{byte(f.kind)}, uint32(len(f.data)))
	// Flush returns the first error of the writer.
	_, _ = output.Write(header)
	_, _ = output.Write(f.data)
	return output.Flush()
}

func readFrame(input *bufio.Reader) (frame, error) {
	var header [5]byte
	if _, err := io.ReadFull(input, header[:]); err != nil {
		return frame{}, fmt.Errorf("read a frame: %w", err)
	}
	f := frame{kind(header[0]), make([]byte, binary.BigEndian.Uint32(header[1:]))}
	if _, err := io.ReadFull(input, f.data); err != nil {
		return frame{}, fmt.Errorf("read a frame: %w", err)
	}
	return f, nil
}
