package cluster

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/smtlark/smtlark/solvers/build"
)

// Stored is something in the object store of a campaign, known by its content.
type Stored struct {
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Files is the object store of a campaign.
type Files struct {
	conn     *nats.Conn
	campaign Campaign
	store    jetstream.ObjectStore // nil: it is only read
}

// OpenFiles makes the object store of a campaign, or opens it as it is; solverBytes is the size of the solvers that are
// sent with it.
func OpenFiles(ctx context.Context, js jetstream.JetStream, c Campaign, replicas int, solverBytes int64) (*Files, error) {
	config := jetstream.ObjectStoreConfig{Bucket: c.fileBucket(), Replicas: replicas, MaxBytes: maxFileBytes + solverBytes}
	store, err := js.CreateOrUpdateObjectStore(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("the files of the campaign: %w", err)
	}
	return &Files{js.Conn(), c, store}, nil
}

// Files returns the object store of a campaign for reading.
func (c *Connection) Files(campaign Campaign) *Files { return &Files{conn: c.Conn, campaign: campaign} }

// Put stores something, unless it is there.
func (f *Files) Put(ctx context.Context, data []byte) (Stored, error) {
	s := Stored{SHA256: build.HashOf(data), Bytes: int64(len(data))}
	if _, err := f.store.GetInfo(ctx, s.SHA256); err == nil {
		return s, nil
	}
	return s, untilAnswered(ctx, func() error {
		_, err := f.store.PutBytes(ctx, s.SHA256, data)
		return err
	})
}

// Get returns something, from a cache where it is there. What does not have the hash that it is known by is an error.
func (f *Files) Get(ctx context.Context, s Stored, cache string) ([]byte, error) {
	if !isHash(s.SHA256) {
		return nil, fmt.Errorf("%q is no hash", s.SHA256)
	}
	file := filepath.Join(cache, s.SHA256)
	if data, err := os.ReadFile(file); err == nil && hasHash(data, s.SHA256) {
		return data, nil
	}
	data, err := f.read(ctx, s.SHA256, maxFileBytes)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	return data, writeWhole(file, data, 0o600)
}

// read returns the content stored under a hash, of at most most bytes. It returns a *CorruptError if the content does
// not have that hash.
func (f *Files) read(ctx context.Context, hash string, most int64) ([]byte, error) {
	var data []byte
	err := untilAnswered(ctx, func() (err error) {
		data, err = f.readObject(ctx, hash, most)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("file %s of the campaign: %w", hash, err)
	}
	if !hasHash(data, hash) {
		return nil, &CorruptError{Want: hash, Got: build.HashOf(data)}
	}
	return data, nil
}

// readObject reads an object of the store (NATS ADR-20, "JetStream based Object Stores"): a message that describes it,
// and its chunks.
func (f *Files) readObject(ctx context.Context, name string, most int64) ([]byte, error) {
	bucket := f.campaign.fileBucket()
	described := "$O." + bucket + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
	m, err := readDirectly(ctx, f.conn, lastSubject(f.campaign.fileStream(), described), nil)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("its servers do not have it")
	}
	var info jetstream.ObjectInfo
	if err := json.Unmarshal(m.Data, &info); err != nil || info.Deleted || info.NUID == "" {
		return nil, errors.New("its servers say nothing of it that can be read")
	}
	if info.Size > uint64(most) {
		return nil, fmt.Errorf("it has %d bytes, at most %d are taken", info.Size, most)
	}
	var data []byte
	for next := uint64(1); uint64(len(data)) < info.Size; next++ {
		var chunk *nats.Msg
		chunk, next, err = readNext(ctx, f.conn, f.campaign.fileStream(), "$O."+bucket+".C."+info.NUID, next)
		if err != nil {
			return nil, err
		}
		if chunk == nil || len(chunk.Data) == 0 {
			return nil, fmt.Errorf("its servers have %d of its %d bytes", len(data), info.Size)
		}
		data = append(data, chunk.Data...)
	}
	return data, nil
}

// CorruptError says that something in the store of a campaign is not what its name says.
type CorruptError struct{ Want, Got string }

func (e *CorruptError) Error() string {
	return fmt.Sprintf("a file of the campaign was changed on the way: it should have the hash %s and has %s", e.Want, e.Got)
}

func hasHash(data []byte, hash string) bool { return build.HashOf(data) == hash }

func isHash(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size
}

// writeWhole writes a file that is complete or not there.
func writeWhole(file string, data []byte, mode fs.FileMode) error {
	out, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err = errors.Join(err, out.Chmod(mode), out.Close()); err == nil {
		err = os.Rename(out.Name(), file)
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return err
}

// Files are packed into objects of a few megabytes: one object for each of ten thousand seeds would take ten thousand
// round trips.
const (
	packSize    = 4 << 20
	maxUnpacked = 8 << 30
)

// Pack stores files, given by their absolute paths in an order that does not change, and returns what Unpack makes them
// of.
func (f *Files) Pack(ctx context.Context, paths []string) ([]Stored, error) {
	var out []Stored
	var buffer bytes.Buffer
	total := int64(0)
	pack := tar.NewWriter(&buffer)
	flush := func() error {
		if err := pack.Close(); err != nil {
			return err
		}
		s, err := f.Put(ctx, s2.EncodeBetter(nil, buffer.Bytes()))
		if err != nil {
			return err
		}
		out = append(out, s)
		buffer.Reset()
		pack = tar.NewWriter(&buffer)
		return nil
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if total += info.Size(); total > maxFileBytes {
			return nil, fmt.Errorf("the files of the campaign have more than %d bytes, %s among them: give the seeds by a narrower pattern", maxFileBytes, path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		// Times and owners are left out, so that the same files have the same hash.
		header := &tar.Header{Name: strings.TrimPrefix(filepath.ToSlash(path), "/"), Mode: int64(info.Mode().Perm() & 0o755), Size: int64(len(data)), Typeflag: tar.TypeReg}
		if err := pack.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := pack.Write(data); err != nil {
			return nil, err
		}
		if buffer.Len() >= packSize {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if buffer.Len() > 0 {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Unpack writes files below a folder, each at its absolute path on the machine that they come from.
func (f *Files) Unpack(ctx context.Context, packs []Stored, cache, folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxUnpacked)
	for _, s := range packs {
		data, err := f.Get(ctx, s, cache)
		if err != nil {
			return err
		}
		size, err := s2.DecodedLen(data)
		if err != nil || int64(size) > left {
			return fmt.Errorf("file %s of the campaign cannot be unpacked", s.SHA256)
		}
		left -= int64(size)
		raw, err := s2.Decode(nil, data)
		if err != nil {
			return fmt.Errorf("file %s of the campaign: %w", s.SHA256, err)
		}
		if err := unpackInto(root, raw); err != nil {
			return fmt.Errorf("file %s of the campaign: %w", s.SHA256, err)
		}
	}
	return nil
}

func unpackInto(root *os.Root, raw []byte) error {
	for pack := tar.NewReader(bytes.NewReader(raw)); ; {
		header, err := pack.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(header.Name)
		if header.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			return fmt.Errorf("%q is no file below the folder of the campaign", header.Name)
		}
		data, err := io.ReadAll(pack)
		if err != nil {
			return err
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := root.WriteFile(name, data, fs.FileMode(header.Mode)&0o755|0o400); err != nil {
			return err
		}
	}
}
