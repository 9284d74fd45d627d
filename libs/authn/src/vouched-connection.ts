const vouched = new WeakSet<object>();

/**
 * Marks a connection that only a front proxy can have opened, e.g. over a socket file that nobody else may write to: its word on
 * identities is believed without a certificate. `connection` is what requests show as their socket.
 */
export function vouchFor(connection: object): void {
  vouched.add(connection);
}

export const isVouchedFor = (connection: object): boolean => vouched.has(connection);
