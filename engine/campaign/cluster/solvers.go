package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/s2"

	"github.com/smtlark/smtlark/solvers/build"
	"github.com/smtlark/smtlark/solvers/parcel"
)

// MaxSolverBytes bounds the files of solvers that are sent with a campaign.
const MaxSolverBytes = 2 << 30

// PutSolvers stores the files of solvers, given by their paths in the order of the files, each once, and returns where
// they are by their hashes.
func (f *Files) PutSolvers(ctx context.Context, solvers []parcel.Parcel, paths [][]string) (map[string]Stored, error) {
	packed := map[string]Stored{}
	for i := range solvers {
		for k := range solvers[i].Files {
			hash := solvers[i].Files[k].SHA256
			if _, ok := packed[hash]; ok {
				continue
			}
			data, err := os.ReadFile(paths[i][k])
			if err != nil {
				return nil, err
			}
			if got := build.HashOf(data); got != hash {
				return nil, fmt.Errorf("%s was changed while the campaign began: its hash was %s and is %s", paths[i][k], hash, got)
			}
			if packed[hash], err = f.Put(ctx, s2.EncodeBetter(nil, data)); err != nil {
				return nil, fmt.Errorf("%s: %w", paths[i][k], err)
			}
		}
	}
	return packed, nil
}

// SolverFile returns the path in a cache of a file of a solver. One that does not have its hash is an error, a
// *CorruptError where it came so.
func (f *Files) SolverFile(ctx context.Context, file *parcel.File, packed map[string]Stored, cache string) (string, error) {
	path := filepath.Join(cache, file.SHA256)
	if !isHash(file.SHA256) {
		return "", fmt.Errorf("%q is no hash", file.SHA256)
	}
	if data, err := os.ReadFile(path); err == nil && hasHash(data, file.SHA256) {
		return path, nil
	}
	s, ok := packed[file.SHA256]
	if !ok || !isHash(s.SHA256) {
		return "", fmt.Errorf("the coordinator did not send %s", file.Name)
	}
	if s.Bytes > MaxSolverBytes || file.Bytes > MaxSolverBytes {
		return "", fmt.Errorf("%s has %d bytes, at most %d are taken", file.Name, max(s.Bytes, file.Bytes), MaxSolverBytes)
	}
	data, err := f.read(ctx, s.SHA256, MaxSolverBytes)
	if err != nil {
		return "", err
	}
	if size, err := s2.DecodedLen(data); err != nil || int64(size) != file.Bytes {
		return "", fmt.Errorf("%s cannot be unpacked", file.Name)
	}
	if data, err = s2.Decode(nil, data); err != nil {
		return "", fmt.Errorf("%s cannot be unpacked: %w", file.Name, err)
	}
	if !hasHash(data, file.SHA256) {
		return "", &CorruptError{Want: file.SHA256, Got: build.HashOf(data)}
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	return path, writeWhole(path, data, 0o700) // parcels link to it
}
