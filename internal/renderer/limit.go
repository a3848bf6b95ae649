package renderer

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/crdlab/crdlab/internal/playground"
)

// MaxResult limits the body of a response in bytes.
const MaxResult = 16 << 20

var errTooLarge = errors.New("the response exceeds its size limit")

// limitedBuffer is a buffer whose writes fail at MaxResult.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(data []byte) (int, error) {
	if len(data) > MaxResult-b.Len() {
		return 0, errTooLarge
	}
	return b.Buffer.Write(data)
}

// WriteString is the fast path of templates.
func (b *limitedBuffer) WriteString(text string) (int, error) {
	if len(text) > MaxResult-b.Len() {
		return 0, errTooLarge
	}
	return b.Buffer.WriteString(text)
}

// limited returns the output of write, or an error that is errTooLarge.
func limited(write func(io.Writer) error) ([]byte, error) {
	var body limitedBuffer
	if err := write(&body); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// asStopped converts errTooLarge into a StoppedError.
func asStopped(err error) error {
	if errors.Is(err, errTooLarge) {
		return &playground.StoppedError{Reason: fmt.Sprintf("its result is larger than %d MiB", MaxResult>>20)}
	}
	return err
}
