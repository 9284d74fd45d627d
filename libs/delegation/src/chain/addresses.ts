import { lookup, type LookupAddress } from 'node:dns';
import { promisify } from 'node:util';
import type { LookupFunction, Socket } from 'node:net';
import { asError } from '@apichain/meta';

/** Milliseconds between two looks at the connections. */
const periodMs = 500;
/** Periods without a byte from an address, and with a probe that it has not responded to, after which the address is silent: two and a half seconds. */
const silentPeriods = 5;

/** Asks the server at an address for any response. Resolves when there is one, or when there will be none. */
export type AddressProbe = (address: string, signal: AbortSignal) => Promise<void>;

/** Finds the addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const resolveBySystem: Resolve = (hostname) => promisify(lookup)(hostname, { all: true });

interface Address {
  readonly sockets: Map<Socket, number>;
  /** Whether it has ever accepted a connection. `localhost` has two addresses, and a server often listens on one of them. */
  isReached: boolean;
  /** Periods in which nothing was received. */
  missed: number;
  isSilent: boolean;
  /** Ends the probe that runs. */
  probe: AbortController | undefined;
}

/**
 * The addresses of the host name of the next server: one of each of its replicas. New connections go to each in turn. A replica whose machine or
 * network has failed, or that is suspended, sends nothing, and its connections stay open: TCP would wait for it for a quarter of an hour. So an address
 * from which nothing arrives for two and a half seconds, not even the response to a probe, is silent: its connections are closed, and no new ones go
 * there until it responds. An address that is the only one that responds, or has no others beside it, is never given up: there is nowhere else to go.
 */
export class NextAddresses {
  readonly #sendProbe: AddressProbe;
  readonly #resolve: Resolve;
  readonly #addresses = new Map<string, Address>();
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #turn = 0;

  /** `resolve` is by default that of the system. */
  constructor(sendProbe: AddressProbe, resolve: Resolve = resolveBySystem) {
    this.#sendProbe = sendProbe;
    this.#resolve = resolve;
  }

  /** Resolves the host name for a new connection: the address whose turn it is first, and silent ones last. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname).then(
      (found) => {
        const ordered = this.#order(found);
        const [first] = ordered;
        if (first === undefined) callback(new Error(`${hostname} has no address`), '');
        else if (options.all === true) callback(null, ordered);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(asError(error), ''),
    );
  };

  /** The order in which a new connection tries addresses. */
  #order(found: readonly LookupAddress[]): LookupAddress[] {
    this.#keepOnly(found);
    if (found.length < 2) return [...found];
    const turn = this.#turn++ % found.length;
    const inTurn = [...found.slice(turn), ...found.slice(0, turn)];
    return inTurn.toSorted((a, b) => Number(this.#isSilent(a)) - Number(this.#isSilent(b)));
  }

  /** Follows a connection from when it is made. */
  follow(socket: Socket): void {
    socket.once('connect', () => {
      const { remoteAddress } = socket;
      if (remoteAddress === undefined) return;
      const address = this.#addressOf(remoteAddress);
      address.isReached = true;
      const { sockets } = address;
      sockets.set(socket, socket.bytesRead);
      socket.once('close', () => sockets.delete(socket));
      if (this.#timer !== undefined) return;
      this.#lookedAt = performance.now();
      this.#timer = setInterval(() => this.lookInTime(performance.now()), periodMs).unref();
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const { probe } of this.#addresses.values()) probe?.abort();
  }

  /**
   * Looks, unless it is late at `now` (milliseconds): this process was busy or suspended, or its machine has no time for it, so others are not to blame for
   * silence. Returns whether it has looked.
   */
  lookInTime(now: number): boolean {
    const late = now - this.#lookedAt - periodMs;
    this.#lookedAt = now;
    if (late >= periodMs / 2) return false;
    this.look();
    return true;
  }

  /** Counts the addresses that have sent nothing since the last look, and gives up the silent ones. */
  look(): void {
    let isNeeded = false;
    for (const [name, address] of this.#addresses) {
      const { sockets } = address;
      if (sockets.size === 0 && !address.isSilent) continue;
      isNeeded = true;
      let heard = false;
      for (const [socket, bytes] of sockets) {
        if (socket.bytesRead === bytes) continue;
        heard = true;
        sockets.set(socket, socket.bytesRead);
      }
      if (heard) this.#heard(address);
      else this.#missed(name, address);
    }
    if (isNeeded) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #heard(address: Address): void {
    address.missed = 0;
    address.isSilent = false;
  }

  #missed(name: string, address: Address): void {
    const others = [...this.#addresses.values()].filter((other) => other !== address && other.isReached);
    // Nobody else could take over, so nothing is asked.
    if (others.length === 0) return;
    address.missed++;
    if (address.missed % silentPeriods === 0) {
      // A probe whose packets were dropped is not repeated for long.
      address.probe?.abort();
      address.probe = undefined;
      if (others.some(({ isSilent }) => !isSilent)) giveUp(name, address);
    }
    if (address.probe !== undefined) return;
    const probe = new AbortController();
    address.probe = probe;
    this.#sendProbe(name, probe.signal).then(
      () => {
        if (address.probe === probe) address.probe = undefined;
        if (!probe.signal.aborted) this.#heard(address);
      },
      () => {
        if (address.probe === probe) address.probe = undefined;
      },
    );
  }

  #isSilent({ address }: LookupAddress): boolean {
    return this.#addresses.get(address)?.isSilent === true;
  }

  #addressOf(name: string): Address {
    const known = this.#addresses.get(name);
    if (known !== undefined) return known;
    const address: Address = { sockets: new Map(), isReached: false, missed: 0, isSilent: false, probe: undefined };
    this.#addresses.set(name, address);
    return address;
  }

  /** Forgets the replicas that are gone, and learns of new ones. */
  #keepOnly(found: readonly LookupAddress[]): void {
    for (const { address } of found) this.#addressOf(address);
    for (const [name, { sockets, probe }] of this.#addresses) {
      if (sockets.size > 0 || found.some(({ address }) => address === name)) continue;
      probe?.abort();
      this.#addresses.delete(name);
    }
  }
}

function giveUp(name: string, address: Address): void {
  address.isSilent = true;
  for (const socket of address.sockets.keys()) socket.destroy(new SilentServerError(name));
}

/** Ends the connections to an address that has gone silent. */
export class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  constructor(address: string) {
    super(`${address} does not respond`);
  }
}
