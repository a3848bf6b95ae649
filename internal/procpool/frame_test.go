package procpool

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"
)

func FuzzFrame(f *testing.F) {
	for _, seed := range []frame{
		{},
		{kind: replyBody, data: []byte("{}")},
		{kind: replyCall, isLast: true, note: []byte("1.31"), data: []byte("a")},
	} {
		var written bytes.Buffer
		if err := seed.write(bufio.NewWriter(&written)); err != nil {
			f.Fatal(err)
		}
		f.Add(written.Bytes())
		f.Add(written.Bytes()[:written.Len()/2])
	}
	f.Add(header(0, maxNote+1, 0))
	f.Add(header(0, 0, maxFrame+1))
	f.Add(header(2, 0, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := readFrame(bufio.NewReader(bytes.NewReader(data)))
		if err != nil {
			return
		}
		length := headerSize + len(read.note) + len(read.data)
		var again bytes.Buffer
		if err := read.write(bufio.NewWriter(&again)); err != nil || !bytes.Equal(again.Bytes(), data[:length]) {
			t.Errorf("%x is written as %x, %v", data, again.Bytes(), err)
		}
	})
}

func header(last byte, note uint16, data uint32) []byte {
	h := binary.BigEndian.AppendUint16([]byte{byte(replyBody), last}, note)
	return binary.BigEndian.AppendUint32(h, data)
}

// TestFrameLengths reads headers with excessive lengths, for which no memory may be
// allocated.
func TestFrameLengths(t *testing.T) {
	for _, h := range [][]byte{header(0, maxNote+1, 0), header(0, 0, maxFrame+1), header(0, 0, 1<<32-1), header(0, 1<<16-1, 1<<32-1), header(2, 0, 0)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readFrame(bufio.NewReader(bytes.NewReader(h)))
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; err == nil || allocated > 1<<20 {
			t.Errorf("%x: %v, %d bytes allocated", h, err, allocated)
		}
	}
	for _, f := range []frame{{data: make([]byte, maxFrame+1)}, {note: make([]byte, maxNote+1)}} {
		var written bytes.Buffer
		if err := f.write(bufio.NewWriter(&written)); err == nil || written.Len() > 0 {
			t.Errorf("%d bytes are written, %v", written.Len(), err)
		}
	}
}
