package main

import (
	"slices"

	"github.com/anishathalye/porcupine"
)

// The objects, as users of Porcupine would write them: parts told apart, states with a hash.
var models = map[string]porcupine.Model{
	"queue":          ofValues(queue),
	"stack":          ofValues(stack),
	"priority-queue": ofValues(priorityQueue),
	"set":            ofKeys(false, setKey, func(state any) uint64 { return number(state.(bool)) }),
	"register":       ofKeys(cell{0, true}, register, hashOfCell),
	"kv":             ofKeys(cell{0, true}, register, hashOfCell),
	"cas-register":   ofKeys(cell{}, register, hashOfCell),
}

// A state of values in order. It is never changed.
type values []int64

func ofValues(step func(state values, act act) (bool, values)) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return values(nil) },
		Step: func(state, input, _ any) (bool, any) { return step(state.(values), input.(act)) },
		Equal: func(one, other any) bool {
			return slices.Equal(one.(values), other.(values))
		},
		// Not of all values: that would take longer than what it saves.
		Hash: func(state any) uint64 {
			values := state.(values)
			if len(values) == 0 {
				return 0
			}
			const odd = 0x9e3779b97f4a7c15
			first, last := uint64(values[0]), uint64(values[len(values)-1])
			return ((uint64(len(values))*odd+first)*odd + last) * odd
		},
	}
}

func with(state values, value int64) values {
	return append(state[:len(state):len(state)], value)
}

func queue(state values, act act) (bool, values) {
	if act.name == "enq" {
		return true, with(state, act.argument)
	}
	if len(state) == 0 {
		return !act.exists, state
	}
	return act.exists && act.found == state[0], state[1:]
}

func stack(state values, act act) (bool, values) {
	if act.name == "push" {
		return true, with(state, act.argument)
	}
	return withoutLast(state, act)
}

// The values are in ascending order.
func priorityQueue(state values, act act) (bool, values) {
	if act.name == "insert" {
		place, _ := slices.BinarySearch(state, act.argument)
		return true, slices.Insert(slices.Clone(state), place, act.argument)
	}
	return withoutLast(state, act)
}

func withoutLast(state values, act act) (bool, values) {
	if len(state) == 0 {
		return !act.exists, state
	}
	last := len(state) - 1
	return act.exists && act.found == state[last], state[:last]
}

// An object each of whose keys is an object of its own.
func ofKeys[S comparable](initial S, step func(state S, act act) (bool, S), hash func(state any) uint64) porcupine.Model {
	return porcupine.Model{
		Partition: byKey,
		Init:      func() any { return initial },
		Step:      func(state, input, _ any) (bool, any) { return step(state.(S), input.(act)) },
		Hash:      hash,
	}
}

func byKey(history []porcupine.Operation) [][]porcupine.Operation {
	places := map[int64]int{}
	var parts [][]porcupine.Operation
	for _, operation := range history {
		key := operation.Input.(act).key
		place, ok := places[key]
		if !ok {
			place = len(parts)
			places[key] = place
			parts = append(parts, nil)
		}
		parts[place] = append(parts[place], operation)
	}
	return parts
}

// Is this key there?
func setKey(state bool, act act) (bool, bool) {
	switch act.name {
	case "add":
		return act.succeeded == !state, true
	case "remove":
		return act.succeeded == state, false
	default:
		return act.succeeded == state, state
	}
}

// What a register holds, if it holds anything.
type cell struct {
	value  int64
	exists bool
}

func register(state cell, act act) (bool, cell) {
	switch act.name {
	case "put", "write":
		return true, cell{act.argument, true}
	case "cas":
		equal := state == cell{act.argument, true}
		next := state
		if equal {
			next = cell{act.new, true}
		}
		return !act.known || act.succeeded == equal, next
	default:
		return state == cell{act.found, act.exists}, state
	}
}

func hashOfCell(state any) uint64 {
	cell := state.(cell)
	return uint64(cell.value)*2 + number(cell.exists)
}

func number(truth bool) uint64 {
	if truth {
		return 1
	}
	return 0
}
