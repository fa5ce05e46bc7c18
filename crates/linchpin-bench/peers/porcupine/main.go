// Decides histories of one object with Porcupine, and says how long that took:
//
//	porcupine -model queue -seconds 10 -memory 4000000000 FILE...
//	porcupine -versions
//
// Files hold JSON lines, one operation each (docs/src/history-formats.md). The time is that of Porcupine alone, with the
// histories in its own types, for all of them together. What is short is done again and again, as the bench does it with
// everybody. One JSON document is printed.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	// So many times at least, unless that takes long.
	times = 5
	// What takes longer is not repeated.
	long = time.Second
	// What has taken so long together need not be repeated.
	enough = 200 * time.Millisecond
)

// What is printed.
type answer struct {
	// For each history: Ok, Illegal or Unknown.
	Verdicts []porcupine.CheckResult `json:"verdicts"`
	// How long all histories took together, each time.
	Seconds []float64 `json:"seconds"`
}

func main() {
	name := flag.String("model", "", "what these are histories of")
	seconds := flag.Float64("seconds", 10, "how long deciding all of them may take")
	memory := flag.Uint64("memory", 4_000_000_000, "how many bytes this process may have")
	asked := flag.Bool("versions", false, "say which Porcupine this is, built with which Go, and end")
	flag.Parse()
	if *asked {
		fmt.Println(versions())
		return
	}
	if err := run(*name, time.Duration(*seconds*float64(time.Second)), *memory, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(name string, budget time.Duration, memory uint64, files []string) error {
	model, ok := models[name]
	if !ok {
		return fmt.Errorf("no model of a %s", name)
	}
	var histories [][]porcupine.Operation
	for _, file := range files {
		history, err := read(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		histories = append(histories, history)
	}
	limit := syscall.Rlimit{Cur: memory, Max: memory}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return fmt.Errorf("memory cannot be limited: %w", err)
	}
	verdicts, first := decide(model, histories, budget)
	taken, sum := []float64{first.Seconds()}, first
	for first < long && (len(taken) < times || sum < enough) {
		_, time := decide(model, histories, budget)
		taken, sum = append(taken, time.Seconds()), sum+time
	}
	return json.NewEncoder(os.Stdout).Encode(answer{verdicts, taken})
}

// Decides all histories, and says how long that took. Those that come after the budget are not decided.
func decide(model porcupine.Model, histories [][]porcupine.Operation, budget time.Duration) ([]porcupine.CheckResult, time.Duration) {
	verdicts := make([]porcupine.CheckResult, len(histories))
	begin := time.Now()
	for i, history := range histories {
		verdicts[i] = porcupine.Unknown
		if left := budget - time.Since(begin); left > 0 {
			verdicts[i] = porcupine.CheckOperationsTimeout(model, history, left)
		}
	}
	return verdicts, time.Since(begin)
}

func versions() string {
	text := "Porcupine"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Replace != nil {
				text += " from " + module.Replace.Path
			} else {
				text += " " + module.Version
			}
		}
	}
	return text + ", " + runtime.Version()
}
