//go:build !js

package share

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// An Archive is a store whose links can be copied to another store.
type Archive interface {
	Store

	// Links calls yield for each unexpired link, in the order of their ids, until yield
	// returns an error. It may or may not see links that are stored or deleted meanwhile.
	// It logs damaged links, and leaves them out.
	Links(ctx context.Context, yield func(Link) error) error

	// PutAll stores the links as Put does. Some may be stored before an error.
	PutAll(ctx context.Context, links []Link) error
}

// A Link is a stored scenario. In JSON, it is a line of an export.
type Link struct {
	ID string `json:"id"`
	// Expires is zero for never.
	Expires time.Time `json:"expires,omitzero"`
	// Value is the stored form of the scenario. The id is the hash of its bytes.
	Value string `json:"value"`
}

// OpenArchive opens the existing store at an address: see [Open]. It returns [ErrInUse] for
// a folder that another process has opened, and [errors.ErrUnsupported] for a store whose
// links cannot be copied.
func OpenArchive(ctx context.Context, address string, o Options) (Archive, error) {
	if isFolder(address) {
		path, err := parseFolder(address)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return nil, fmt.Errorf("open the store: %w", err)
		}
	}
	return CreateArchive(ctx, address, o)
}

// CreateArchive is like [OpenArchive], but creates a missing folder.
func CreateArchive(ctx context.Context, address string, o Options) (Archive, error) {
	store, err := Open(ctx, address, o)
	if err != nil {
		return nil, err
	}
	if b, ok := store.(*breaker); ok {
		store = b.Store
	}
	if archive, ok := store.(Archive); ok {
		return archive, nil
	}
	if store != nil {
		err = store.Close()
	}
	return nil, errors.Join(fmt.Errorf("copy the links of this store: %w", errors.ErrUnsupported), err)
}

// Export writes the unexpired links of a store, one JSON object in each line, and returns
// their number.
func Export(ctx context.Context, store Archive, to io.Writer) (n int, err error) {
	buffered := bufio.NewWriter(to)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	err = store.Links(ctx, func(link Link) error {
		n++
		return encoder.Encode(link)
	})
	return n, errors.Join(err, buffered.Flush())
}

// A batch of links is stored at once.
const (
	batchLinks = 1000
	batchBytes = 8 << 20
)

// Import stores the links of an export and returns their number. Links that the store
// already has keep the later expiry, so an import can be repeated. The links before an
// error may be stored.
func Import(ctx context.Context, store Archive, from io.Reader) (n int, err error) {
	decoder := json.NewDecoder(from)
	for {
		links, err := readBatch(decoder, n)
		if err != nil {
			return n, err
		}
		if len(links) == 0 {
			return n, nil
		}
		if err := store.PutAll(ctx, links); err != nil {
			return n, err
		}
		n += len(links)
	}
}

// An ExportError is an error in the content of an export. Link counts its links from 1.
type ExportError struct {
	Link int
	Err  error
}

func (e *ExportError) Error() string { return fmt.Sprintf("link %d: %v", e.Link, e.Err) }

func (e *ExportError) Unwrap() error { return e.Err }

// readBatch reads the next links, which follow a number of others.
func readBatch(decoder *json.Decoder, before int) ([]Link, error) {
	var links []Link
	for size := 0; len(links) < batchLinks && size < batchBytes; {
		var link Link
		err := decoder.Decode(&link)
		switch {
		case errors.Is(err, io.EOF):
			return links, nil
		case err == nil && !Matches(link.ID, []byte(link.Value)):
			err = fmt.Errorf("the id %q does not belong to the scenario", link.ID)
		}
		if err != nil {
			return nil, &ExportError{before + len(links) + 1, err}
		}
		links = append(links, link)
		size += len(link.Value)
	}
	return links, nil
}
