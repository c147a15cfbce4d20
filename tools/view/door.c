// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "door.h"
#include "say.h"

/* Connections that wait to be accepted */
#define WAITING 16

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)address;

		return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	}
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(
		       &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static int open_one(const struct addrinfo *info)
{
	int fd = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
			info->ai_protocol);
	int error, one = 1;

	if (fd < 0)
		return -1;
	if (!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, info->ai_addr, info->ai_addrlen) && !listen(fd, WAITING))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

int door_open(const char *address, const char *port, bool anyone)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *info;
	int error = getaddrinfo(address, port, &hints, &info), fd = -1;

	if (error) {
		say("--listen %s: %s", address, gai_strerror(error));
		return -1;
	}
	if (!anyone && !is_loopback(info->ai_addr)) {
		say("--listen %s: other machines could connect, so give --tls-cert, --tls-key, --user and "
		    "--password-file, or --anyone if nobody has to be kept out",
		    address);
	} else {
		fd = open_one(info);
		if (fd < 0)
			say("cannot listen on %s port %s: %m", address, port);
	}
	freeaddrinfo(info);
	return fd;
}

const char *door_name(char *name, int fd, bool peer)
{
	char host[INET6_ADDRSTRLEN + 16], port[8];
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);

	if ((peer ? getpeername : getsockname)(fd, (struct sockaddr *)&address, &size) ||
	    getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(name, DOOR_NAME, "an unknown address");
	else
		snprintf(name, DOOR_NAME, "%s port %s", host, port);
	return name;
}
