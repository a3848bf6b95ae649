package apiserver

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// Handler passes requests on to the server with the rights of its own client, so that other
// programs can be its clients.
func (s *Server) Handler() (http.Handler, error) {
	target, err := url.Parse(s.url)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Transport: s.http.Transport,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
	}, nil
}
