const vouched = new WeakSet<object>();

/**
 * Marks a connection that only a front proxy can have opened, e.g. over a socket file that no other user may write to. The identities that it
 * sends are believed without a certificate. `connection` is the socket of its requests.
 */
export function vouchFor(connection: object): void {
  vouched.add(connection);
}

export const isVouchedFor = (connection: object): boolean => vouched.has(connection);
