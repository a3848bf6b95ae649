package procpool

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/crdlab/crdlab/internal/playground"
)

// kind identifies the contents of a frame. The kind of a request is its
// playground.Task.
type kind byte

// Replies of a child.
const (
	replyReady      kind = iota + 101 // the missing mechanisms of package confine, before the first request
	replyBody                         // the body for the request
	replyInvalid                      // a playground.InvalidScenarioError as JSON
	replyStopped                      // a playground.StoppedError as JSON
	replyUnreadable                   // no data; means playground.ErrUnreadable
	replyFailure                      // the message of an error
	replyCall                         // a call of the parent, which sends one of the replies above
)

const (
	// maxFrame limits the data of a frame in bytes. It exceeds the limits of requests
	// and of replies.
	maxFrame = 32 << 20
	// maxNote limits the note of a frame in bytes.
	maxNote = 4 << 10
)

// frame is a message between the pool and a child. Its wire format is the kind
// (1 byte), 1 if the child ends after this reply (1 byte), the lengths of the note (2
// bytes, big-endian) and of the data (4 bytes), the note, and the data. In contrast to
// net/rpc, frames pass JSON through unchanged, start no goroutines, and preserve the
// kind of an error.
type frame struct {
	kind   kind
	isLast bool
	// note is a playground.Stopped as JSON, the name of a call, or empty.
	note []byte
	data []byte
}

// headerSize is the length in bytes of all before the note.
const headerSize = 8

// bufferSize is the default size of a Linux pipe. A write of this size needs one
// system call.
const bufferSize = 64 << 10

func newFrameWriter(output io.Writer) *bufio.Writer { return bufio.NewWriterSize(output, bufferSize) }

func newFrameReader(input io.Reader) *bufio.Reader { return bufio.NewReaderSize(input, bufferSize) }

func (f frame) write(output *bufio.Writer) error {
	if len(f.data) > maxFrame || len(f.note) > maxNote {
		return fmt.Errorf("write a frame: %d and %d bytes exceed the limits", len(f.note), len(f.data))
	}
	header := []byte{byte(f.kind), 0}
	if f.isLast {
		header[1] = 1
	}
	header = binary.BigEndian.AppendUint16(header, uint16(len(f.note)))
	header = binary.BigEndian.AppendUint32(header, uint32(len(f.data)))
	// Flush returns the first error of the writer.
	_, _ = output.Write(header)
	_, _ = output.Write(f.note)
	_, _ = output.Write(f.data)
	return output.Flush()
}

// readFrame reads a frame. It checks the lengths before it allocates memory.
func readFrame(input *bufio.Reader) (frame, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(input, header[:]); err != nil {
		return frame{}, fmt.Errorf("read a frame: %w", err)
	}
	note, data := binary.BigEndian.Uint16(header[2:]), binary.BigEndian.Uint32(header[4:])
	if header[1] > 1 || note > maxNote || data > maxFrame {
		return frame{}, fmt.Errorf("read a frame: the header %v is invalid", header)
	}
	content := make([]byte, int(note)+int(data))
	if _, err := io.ReadFull(input, content); err != nil {
		return frame{}, fmt.Errorf("read a frame: %w", err)
	}
	return frame{kind(header[0]), header[1] == 1, content[:note:note], content[note:]}, nil
}

// replyWith returns the reply with a body, or with the error of a request.
func replyWith(body []byte, err error) frame {
	if err == nil && len(body) > maxFrame {
		err = &playground.StoppedError{Reason: fmt.Sprintf("its result is larger than %d MiB", maxFrame>>20)}
	}
	if err == nil {
		return frame{kind: replyBody, data: body}
	}
	if invalid, ok := errors.AsType[*playground.InvalidScenarioError](err); ok {
		return errorReply(replyInvalid, invalid)
	}
	if stopped, ok := errors.AsType[*playground.StoppedError](err); ok {
		return errorReply(replyStopped, stopped)
	}
	if errors.Is(err, playground.ErrUnreadable) {
		return frame{kind: replyUnreadable}
	}
	return failureReply(err.Error())
}

// maxMessage limits the message of a failure in bytes.
const maxMessage = 64 << 10

func failureReply(message string) frame {
	return frame{kind: replyFailure, data: []byte(message[:min(len(message), maxMessage)])}
}

// errorReply returns a reply with an error as JSON.
func errorReply(k kind, err error) frame {
	data, failure := json.Marshal(err)
	if failure != nil {
		return failureReply(failure.Error())
	}
	return frame{kind: k, data: data}
}

// result returns the body or the error in a reply.
func (f frame) result() ([]byte, error) {
	switch f.kind {
	case replyBody:
		return f.data, nil
	case replyInvalid:
		return nil, decodeError[playground.InvalidScenarioError](f.data)
	case replyStopped:
		return nil, decodeError[playground.StoppedError](f.data)
	case replyUnreadable:
		return nil, playground.ErrUnreadable
	case replyFailure:
		return nil, errors.New(string(f.data))
	}
	return nil, fmt.Errorf("unknown kind %d of a reply", f.kind)
}

// decodeError decodes an error of the type *Value.
func decodeError[Value any, Error interface {
	*Value
	error
}](data []byte) error {
	value := Error(new(Value))
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("decode a frame: %w", err)
	}
	return value
}
