//go:build !js

package share

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"time"
)

// The layout of a bbolt file, version 2. A file consists of pages of equal size. A
// page has a header and may continue in the pages after it. Pages 0 and 1 are the
// file's headers, and the one with the higher transaction number is valid.
const (
	boltMagic       = 0xED0CDAED
	boltVersion     = 2
	pageHeaderSize  = 16 // id uint64, kind uint16, count uint16, overflow uint32
	leafElementSize = 16 // flags, position, key size, value size: uint32
	bucketElement   = 1  // flag of a leaf element that contains a bucket
	bucketHeadSize  = 16 // root page uint64, sequence uint64; a small bucket's only page follows
	leafPage        = 2
	freePage        = 16
	minPageSize     = 1 << 10
	usualPageSize   = 1 << 12
	maxPageSize     = 1 << 24
	// headerSize is the size of a header after the page header.
	headerSize = 64
	// noFreePages is the page number of a missing list of free pages.
	noFreePages = ^uint64(0)
)

// maxRecord limits the size of a salvaged record. No server accepts larger scenarios
// by default.
const maxRecord = 64 << 20

// boltHeader is the content of a header that a salvager needs.
type boltHeader struct {
	pageSize    int64
	free        uint64 // the page with the list of free pages
	pages       uint64
	transaction uint64
}

// salvager reads the records of a damaged bbolt file. It reads page by page and
// ignores the structure of the tree. It reads with ReadAt only, so damage cannot cause a
// memory fault.
type salvager struct {
	file io.ReaderAt
	size int64
	// value receives each value that matches its id, with the expiry in its record. A
	// value can occur several times, because a file keeps old copies of pages.
	value func(id string, value []byte, expires time.Time) error
	// until receives each changed expiry.
	until func(id string, expires time.Time) error
}

// run reads all pages that are not free.
func (s salvager) run() error {
	pageSize, free := int64(usualPageSize), map[uint64]bool{}
	if header := newestHeader(s.file, s.size); header != nil {
		pageSize = header.pageSize
		free = freePages(s.file, s.size, header)
	}
	for page := int64(0); page*pageSize < s.size; page++ {
		if free[uint64(page)] {
			continue
		}
		if err := s.page(page*pageSize, false); err != nil {
			return err
		}
	}
	return nil
}

// page reads the records of the page at this offset if it is a leaf. A page in an
// element of another page belongs to a small bucket.
func (s salvager) page(at int64, isNested bool) error {
	order := binary.LittleEndian
	head := s.read(at, pageHeaderSize)
	if head == nil || order.Uint16(head[8:]) != leafPage {
		return nil
	}
	for i := range int64(order.Uint16(head[10:])) {
		offset := at + pageHeaderSize + i*leafElementSize
		data := s.read(offset, leafElementSize)
		if data == nil {
			return nil
		}
		element := leafElement{
			isBucket: order.Uint32(data) == bucketElement,
			start:    offset + int64(order.Uint32(data[4:])),
			key:      int64(order.Uint32(data[8:])),
			value:    int64(order.Uint32(data[12:])),
		}
		var err error
		switch {
		case !element.isBucket:
			err = s.record(element)
		case !isNested:
			err = s.page(element.start+element.key+bucketHeadSize, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leafElement is an item of a leaf page: a key, which the value follows.
type leafElement struct {
	isBucket          bool
	start, key, value int64
}

// record passes on a record if it is intact.
func (s salvager) record(element leafElement) error {
	if element.key != IDLength || element.value < stampSize || element.value > maxRecord {
		return nil
	}
	data := s.read(element.start, element.key+element.value)
	if data == nil || !IsID(string(data[:IDLength])) {
		return nil
	}
	id, record := string(data[:IDLength]), data[IDLength:]
	switch value := record[stampSize:]; {
	case len(value) == 0:
		return s.until(id, timeOf(record))
	case Matches(id, value):
		return s.value(id, value, timeOf(record))
	}
	return nil
}

// read returns a range of the file, or nil if it is unreadable.
func (s salvager) read(at, length int64) []byte {
	if at < 0 || length > s.size-at {
		return nil
	}
	data := make([]byte, length)
	if n, _ := s.file.ReadAt(data, at); n < len(data) {
		return nil
	}
	return data
}

// newestHeader returns the valid header with the highest transaction number, or nil.
func newestHeader(file io.ReaderAt, size int64) *boltHeader {
	newest := readHeader(file, 0)
	for at := int64(minPageSize); at <= maxPageSize && at < size; at *= 2 {
		second := readHeader(file, at)
		if second != nil && second.pageSize == at && (newest == nil || second.transaction > newest.transaction) {
			newest = second
		}
	}
	return newest
}

// readHeader returns the header in the page at this offset, or nil if it is invalid.
func readHeader(file io.ReaderAt, at int64) *boltHeader {
	data := make([]byte, headerSize)
	if n, _ := file.ReadAt(data, at+pageHeaderSize); n < headerSize {
		return nil
	}
	order := binary.LittleEndian
	sum := fnv.New64a()
	_, _ = sum.Write(data[:headerSize-8])
	if order.Uint32(data) != boltMagic || order.Uint32(data[4:]) != boltVersion || order.Uint64(data[headerSize-8:]) != sum.Sum64() {
		return nil
	}
	header := &boltHeader{
		pageSize:    int64(order.Uint32(data[8:])),
		free:        order.Uint64(data[32:]),
		pages:       order.Uint64(data[40:]),
		transaction: order.Uint64(data[48:]),
	}
	if header.pageSize < minPageSize || header.pageSize > maxPageSize {
		return nil
	}
	return header
}

// freePages returns the free pages, which contain deleted values. If the list of free
// pages is damaged or may be outdated, the result is empty: then a deleted value may
// return, but no link is lost.
func freePages(file io.ReaderAt, size int64, header *boltHeader) map[uint64]bool {
	free := map[uint64]bool{}
	if header.free == noFreePages || readHeader(file, 0) == nil || readHeader(file, header.pageSize) == nil {
		return free
	}
	order, at := binary.LittleEndian, int64(header.free)*header.pageSize
	head := make([]byte, pageHeaderSize+8)
	if at < 0 || at >= size {
		return free
	}
	if n, _ := file.ReadAt(head, at); n < len(head) || order.Uint64(head) != header.free || order.Uint16(head[8:]) != freePage {
		return free
	}
	count, from := uint64(order.Uint16(head[10:])), at+pageHeaderSize
	if count == 0xFFFF {
		// The list is too long for the page header: its length is the first item.
		count, from = order.Uint64(head[pageHeaderSize:]), from+8
	}
	if count > uint64(size-from)/8 {
		return free
	}
	list := make([]byte, count*8)
	if n, _ := file.ReadAt(list, from); n < len(list) {
		return free
	}
	for i := range count {
		free[order.Uint64(list[i*8:])] = true
	}
	return free
}
