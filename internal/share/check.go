//go:build !js

package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// CheckFile checks a store's file: its size, its structure, and that each id is the
// hash of its value. It returns an error that wraps [ErrDamaged] if it finds damage,
// and another error if it cannot read the file. A missing or empty file is sound.
//
// Damage can also end the process, for example because of endless recursion. A
// server therefore calls it in a child process: see [Options].
func CheckFile(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("check the store: %w", err)
	}
	f := &file{}
	return f.guard("check the store "+path, func() error { return f.check(path, info.Size()) })
}

func (f *file) check(path string, size int64) (err error) {
	if err := checkSize(path, size); err != nil {
		return err
	}
	f.db, err = bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: lockTimeout})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.db.Close()) }()
	return f.db.View(func(tx *bolt.Tx) error {
		for problem := range tx.Check() {
			return fmt.Errorf("%w: %w", ErrDamaged, problem)
		}
		return checkValues(tx)
	})
}

// checkSize compares the size of a file with the number of pages in its newest header.
func checkSize(path string, size int64) error {
	opened, err := os.Open(path)
	if err != nil {
		return err
	}
	defer opened.Close()
	header := newestHeader(opened, size)
	switch {
	case header == nil:
		return fmt.Errorf("%w: it has no valid header", ErrDamaged)
	case header.pages > uint64(size)/uint64(header.pageSize):
		return fmt.Errorf("%w: it has %d bytes, but %d pages of %d bytes", ErrDamaged, size, header.pages, header.pageSize)
	}
	return nil
}

// checkValues compares the values with their ids. Other keys are not checked.
func checkValues(tx *bolt.Tx) error {
	values := tx.Bucket(valuesBucket)
	if values == nil {
		return nil
	}
	return values.ForEach(func(id, record []byte) error {
		if len(record) < stampSize || !Matches(string(id), record[stampSize:]) {
			return fmt.Errorf("%w: the link %s leads to another scenario", ErrDamaged, id)
		}
		return nil
	})
}

// checkTime returns the time limit for the check of a file.
func checkTime(size int64) time.Duration {
	const slowest = 5 << 20 // bytes per second
	return 10*time.Second + time.Duration(size/slowest)*time.Second
}

// DamagedStatus is the exit status of a check command that found damage. With status
// 1, the command could not check the file.
const DamagedStatus = 3

// checkInChild runs a check command. A process that crashes or exceeds the time limit
// has found damage.
func checkInChild(ctx context.Context, command *exec.Cmd, limit time.Duration) error {
	var output bytes.Buffer
	command.Stderr = &output
	if err := command.Start(); err != nil {
		return fmt.Errorf("check the store: %w", err)
	}
	late := time.AfterFunc(limit, func() { _ = command.Process.Kill() })
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { _ = command.Process.Kill() })()
	err := command.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	message, _, _ := strings.Cut(strings.TrimSpace(output.String()), "\n")
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case !isExit || exit.ExitCode() == 1:
		return fmt.Errorf("%s: %w", message, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, message, err)
}
