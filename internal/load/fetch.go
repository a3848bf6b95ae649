package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// fetchTimeout limits a request for a file.
const fetchTimeout = 30 * time.Second

const maxRedirects = 10

// fetch reads a file from an https address.
func fetch(ctx context.Context, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	client := http.Client{CheckRedirect: onlyHTTPS}
	response, err := client.Do(request)
	if err != nil {
		return "", withoutAddress(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server responded with %s", response.Status)
	}
	return readLimited(response.Body)
}

// onlyHTTPS forbids redirects to addresses without encryption.
func onlyHTTPS(request *http.Request, via []*http.Request) error {
	if request.URL.Scheme != "https" {
		return errors.New("redirected to an address without https")
	}
	if len(via) >= maxRedirects {
		return errors.New("too many redirects")
	}
	return nil
}

// withoutAddress returns the error of a request without the address, which precedes it in
// messages.
func withoutAddress(err error) error {
	if failure := (*url.Error)(nil); errors.As(err, &failure) {
		return failure.Err
	}
	return err
}
