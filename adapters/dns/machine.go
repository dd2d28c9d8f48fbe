package dns

import (
	"net"
	"os"
	"strings"
)

const (
	// resolvConf names the resolvers of the machine (resolv.conf(5)).
	resolvConf = "/etc/resolv.conf"
	// mostServers is how many of them are asked, as the C library does.
	mostServers = 3
)

// machineServers returns the resolvers that a file names; without any it is the one of
// this machine, as for the C library. The file is read anew each time: it may change.
func machineServers(file string) []string {
	text, err := os.ReadFile(file) //nolint:gosec // the file is resolvConf, or a test's
	if err != nil {
		text = nil // as if it were empty
	}
	var servers []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "nameserver" && len(servers) < mostServers {
			servers = append(servers, net.JoinHostPort(fields[1], "53"))
		}
	}
	if servers == nil {
		servers = []string{"127.0.0.1:53"}
	}
	return servers
}
