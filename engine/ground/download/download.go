// Package download gets files from the network and unpacks archives.
package download

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// client gives up if no data arrives. It has no limit for a whole file, because that depends on the speed of the
// connection.
var client = &http.Client{Transport: &http.Transport{
	Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: 30 * time.Second, TLSHandshakeTimeout: 30 * time.Second,
}}

// Get requests an address, up to three times if the network fails; accept is the wanted media type, or "". The response
// has status 200 and an open body.
func Get(ctx context.Context, address, accept string) (*http.Response, error) {
	for try := 1; ; try++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		if accept != "" {
			req.Header.Set("Accept", accept)
		}
		res, err := client.Do(req)
		switch {
		case err == nil && res.StatusCode == http.StatusOK:
			return res, nil
		case err == nil:
			res.Body.Close()
			err = fmt.Errorf("%s: %s", address, res.Status)
		}
		if try == 3 || ctx.Err() != nil || res != nil && res.StatusCode < 500 {
			return nil, err
		}
	}
}

// Extract writes a file of an archive to a path where no file exists, makes the parent folders, and returns its size,
// which is below limit bytes.
func Extract(f *zip.File, to string, mode os.FileMode, limit int64) (int64, error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return 0, err
	}
	in, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, limit))
	if err == nil && n == limit {
		err = fmt.Errorf("%s unpacks to %d bytes or more than may still come of its archive", f.Name, limit)
	}
	return n, errors.Join(err, out.Close())
}
