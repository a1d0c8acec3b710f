package oauth

import (
	"net"
	"net/http"
	"net/netip"
)

// Network is what an address of a connection counts as: without its port, and an IPv6 address as its network.
func Network(hostPort string) string {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return hostPort
	}
	return network(host)
}

// network is what an address is throttled by. An IPv6 address counts as its /64 network: whoever has one has all of it.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}

// RemoteAddress is the address of the connection.
func RemoteAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
