/** A host as it stands before a port: an IPv6 address between brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `host:port`. Source: https://pkg.go.dev/net#JoinHostPort */
export const joinHostPort = (host: string, port: number | string): string => `${bracketed(host)}:${port}`;
