package testworld

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
)

// PostOffice is an SMTP server that keeps what it is given.
func PostOffice(t testing.TB) (address string, letters <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	kept := make(chan string, 10)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go receive(c, kept)
		}
	}()
	return listener.Addr().String(), kept
}

func receive(c net.Conn, kept chan<- string) {
	defer c.Close()
	in := bufio.NewReader(c)
	say := func(line string) { _, _ = io.WriteString(c, line+"\r\n") }
	say("220 post office")
	envelope := ""
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(line); {
		case strings.HasPrefix(verb, "DATA"):
			say("354 go on")
			letter := ""
			for !strings.HasSuffix(letter, "\r\n.\r\n") {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				letter += line
			}
			kept <- envelope + "\n" + letter
			say("250 kept")
		case strings.HasPrefix(verb, "QUIT"):
			say("221 bye")
			return
		default:
			envelope += line
			say("250 fine")
		}
	}
}
