package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"

	"github.com/crdlab/crdlab/internal/playground"
)

// startModule runs the WebAssembly module under Node. The process reads one
// scenario per line and writes one report per line.
func startModule(file string) (evaluateFunc, func(), error) {
	command := exec.Command("node", "module.mjs", file)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := command.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the module: %w", err)
	}
	stop := func() {
		_ = in.Close()
		_ = command.Wait()
	}
	lines := bufio.NewReader(out)
	return func(_ context.Context, s playground.Scenario) (playground.Report, error) {
		if err := json.NewEncoder(in).Encode(s); err != nil {
			return playground.Report{}, err
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return playground.Report{}, fmt.Errorf("read the module's response: %w", err)
		}
		var response struct {
			playground.Report
			Error string `json:"error"`
		}
		if err := json.Unmarshal(line, &response); err != nil {
			return playground.Report{}, err
		}
		if response.Error != "" {
			return playground.Report{}, fmt.Errorf("the module failed: %s", response.Error)
		}
		return response.Report, nil
	}, stop, nil
}

var listening = regexp.MustCompile(`"url":"(http:[^"]+)"`)

// startServer runs the built server on a free loopback port.
func startServer(file string) (evaluateFunc, func(), error) {
	command := exec.Command(file, "--addr", "127.0.0.1:0", "--evaluate-rate", "0", "--store", "none")
	log, err := command.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := command.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the server: %w", err)
	}
	stop := func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	}
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if found := listening.FindSubmatch(lines.Bytes()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return evaluateOverHTTP(string(found[1]) + "/api/v1/evaluate"), stop, nil
		}
	}
	stop()
	return nil, nil, fmt.Errorf("the server %s ended", file)
}

// evaluateOverHTTP returns a function that sends scenarios to the API.
func evaluateOverHTTP(url string) evaluateFunc {
	return func(_ context.Context, s playground.Scenario) (report playground.Report, err error) {
		body, err := json.Marshal(s)
		if err != nil {
			return report, err
		}
		response, err := http.Post(url, "application/json", bytes.NewReader(body))
		if err != nil {
			return report, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(response.Body)
			return report, fmt.Errorf("%s: %s", response.Status, body)
		}
		err = json.NewDecoder(response.Body).Decode(&report)
		return report, err
	}
}
