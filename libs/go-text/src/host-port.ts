/** A host in front of a port: an IPv6 address is put in brackets. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `host:port`. Source: https://pkg.go.dev/net#JoinHostPort */
export const joinHostPort = (host: string, port: number | string): string => `${bracketed(host)}:${port}`;
