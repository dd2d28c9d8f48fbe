package freeport_test

import (
	"net"
	"strconv"
	"testing"

	"gatehouse.internal/test/harness/freeport"
)

func TestPortsAreFreeAndNeverTwice(t *testing.T) {
	seen := map[int]bool{}
	for range 500 {
		port, err := freeport.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if seen[port] {
			t.Fatalf("port %d came twice", port)
		}
		seen[port] = true
		if port >= 32768 {
			t.Fatalf("port %d is one of outgoing connections", port)
		}
	}
}

func TestTakenPortsArePassedOver(t *testing.T) {
	before, err := freeport.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	taken := before + 1
	// When this fails, another process listens there, which serves as well.
	if listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(taken)); err == nil {
		defer listener.Close()
	}
	after, err := freeport.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if after == taken {
		t.Errorf("Next = %d, on which somebody listens", after)
	}
}
