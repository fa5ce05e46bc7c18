package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/anishathalye/porcupine"
)

// One operation: what was done, and what was returned. Models get all of it as the input.
type act struct {
	name string
	// Which part of the object it works on; 0 if there are none.
	key int64
	// What is put in or written; what a compare-and-set expects.
	argument int64
	// What a compare-and-set writes.
	new int64
	// What was taken out or read, if anything was.
	found  int64
	exists bool
	// Whether it succeeded, if that is known.
	succeeded, known bool
}

// A line of a file.
type line struct {
	C    int             `json:"c"`
	Call int64           `json:"call"`
	Ret  *int64          `json:"ret"`
	F    string          `json:"f"`
	K    *int64          `json:"k"`
	A    json.RawMessage `json:"a"`
	O    json.RawMessage `json:"o"`
}

// The operations of a file. Reads that did not return what they found are left out: they say nothing.
func read(path string) ([]porcupine.Operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var history []porcupine.Operation
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var line line
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, err
		}
		if line.F == "read" && line.O == nil {
			continue
		}
		act, err := meaning(line)
		if err != nil {
			return nil, err
		}
		// What has not returned may take effect at any time after its call. That it may not do so at all makes no
		// difference: after all others, nobody sees it.
		ret := int64(math.MaxInt64)
		if line.Ret != nil {
			ret = *line.Ret
		}
		history = append(history, porcupine.Operation{ClientId: line.C, Input: act, Call: line.Call, Return: ret})
	}
	return history, lines.Err()
}

func meaning(line line) (act, error) {
	act := act{name: line.F}
	if line.K != nil {
		act.key = *line.K
	}
	var err error
	result := func(to any) {
		if line.O != nil && err == nil {
			err = json.Unmarshal(line.O, to)
		}
	}
	switch line.F {
	case "enq", "push", "insert", "put", "write":
		err = json.Unmarshal(line.A, &act.argument)
	case "deq", "pop", "pop_max", "get", "read":
		var found *int64
		result(&found)
		if found != nil {
			act.found, act.exists = *found, true
		}
	case "add", "remove", "contains":
		result(&act.succeeded)
	case "cas":
		var both [2]int64
		err = json.Unmarshal(line.A, &both)
		act.argument, act.new = both[0], both[1]
		// Logs of events repeat the argument as the result of one that has succeeded.
		act.succeeded, act.known = string(line.O) != "false", line.O != nil
	default:
		err = fmt.Errorf("no meaning for %s", line.F)
	}
	return act, err
}
