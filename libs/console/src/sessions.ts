import { randomBytes } from 'node:crypto';
import { isSameSecret } from '@apichain/authn';
import type { Identity } from './identity.ts';

/** A one-time code, which a browser exchanges for a session. */
export interface Invitation {
  readonly code: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface Session {
  /** In the cookie. */
  readonly id: string;
  /** In a header of every request of the page. Neither half is of use without the other. */
  readonly proof: string;
  /** Stands for the identity in the Authorization header of requests to the server of this process. The browser never gets it. */
  readonly pass: string;
  readonly identity: Identity;
  /** Milliseconds since the epoch; not later than the credential. */
  readonly expiresAt: number;
  /** Aborts when the session ends, and its open responses with it. */
  readonly ended: AbortSignal;
}

interface Limits {
  readonly codeMs: number;
  readonly sessionMs: number;
  readonly codesOfUser: number;
  readonly sessionsOfUser: number;
  /** The part of all codes, and of all sessions, that the service accounts of one namespace may have: its administrator makes any number of them. */
  readonly shareOfNamespace: number;
  /** Of all users together. */
  readonly maxCodes: number;
  readonly maxSessions: number;
}

const defaults: Limits = {
  codeMs: 10 * 60_000,
  sessionMs: 8 * 60 * 60_000,
  codesOfUser: 8,
  sessionsOfUser: 16,
  shareOfNamespace: 1 / 8,
  maxCodes: 256,
  maxSessions: 512,
};

/** There are as many codes or sessions as all users together may have. */
export class TooManySessionsError extends Error {}

/** A code or a session. */
interface Owned {
  readonly identity: Identity;
}

const userOf = ({ identity }: Owned): string => identity.owner.user.name;

/** The namespace of a service account; undefined for other users. */
const namespaceOf = (owned: Owned): string | undefined => /^system:serviceaccount:([^:]+):/.exec(userOf(owned))?.[1];

const secret = (): string => randomBytes(32).toString('base64url');

/**
 * One-time codes and sessions, in memory only. A user who has too many loses the oldest of his own. When all users together have too many, new ones
 * are refused, so that nobody ends the session of somebody else.
 */
export class Sessions {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #codes = new Map<string, { readonly identity: Identity; readonly expiresAt: number }>();
  readonly #sessions = new Map<string, Session>();
  readonly #passes = new Map<string, Session>();
  readonly #endings = new Map<Session, AbortController>();

  constructor(limits: Partial<Limits> = {}, now: () => number = Date.now) {
    this.#limits = { ...defaults, ...limits };
    this.#now = now;
  }

  /** Creates a code that begins one session with this identity. Throws TooManySessionsError. */
  invite(identity: Identity): Invitation {
    const { codeMs, codesOfUser, maxCodes } = this.#limits;
    this.endExpired();
    const own = [...this.#codes].filter(([, invited]) => userOf(invited) === userOf({ identity }));
    for (const [code] of own.slice(0, Math.max(0, own.length + 1 - codesOfUser))) this.#codes.delete(code);
    if (this.#hasTooMany(this.#codes, identity, maxCodes))
      throw new TooManySessionsError('too many users want to log in to the console');
    const invitation = { code: secret(), expiresAt: this.#endOf(codeMs, identity) };
    this.#codes.set(invitation.code, { identity, expiresAt: invitation.expiresAt });
    return invitation;
  }

  /** The session of a code. Undefined when the code is unknown, used or expired; a code is used by the first attempt. Throws TooManySessionsError. */
  redeem(code: string): Session | undefined {
    const invited = this.#codes.get(code);
    this.#codes.delete(code);
    if (invited === undefined || invited.expiresAt <= this.#now()) return undefined;
    return this.begin(invited.identity);
  }

  /** Throws TooManySessionsError. */
  begin(identity: Identity): Session {
    const { sessionMs, sessionsOfUser, maxSessions } = this.#limits;
    this.endExpired();
    const own = [...this.#sessions.values()].filter((session) => userOf(session) === userOf({ identity }));
    for (const session of own.slice(0, Math.max(0, own.length + 1 - sessionsOfUser))) this.end(session);
    if (this.#hasTooMany(this.#sessions, identity, maxSessions))
      throw new TooManySessionsError('the console has too many sessions');
    const ending = new AbortController();
    const session: Session = {
      id: secret(),
      proof: secret(),
      pass: secret(),
      identity,
      expiresAt: this.#endOf(sessionMs, identity),
      ended: ending.signal,
    };
    this.#sessions.set(session.id, session);
    this.#passes.set(session.pass, session);
    this.#endings.set(session, ending);
    return session;
  }

  /** The session with both halves; undefined when it is unknown or expired, or when the halves do not belong together. */
  find(id: string, proof: string): Session | undefined {
    const session = this.#live(this.#sessions.get(id));
    return session !== undefined && isSameSecret(session.proof, proof) ? session : undefined;
  }

  /** The session of a pass; undefined when it is unknown or expired. */
  ofPass(pass: string): Session | undefined {
    return this.#live(this.#passes.get(pass));
  }

  end(session: Session): void {
    this.#sessions.delete(session.id);
    this.#passes.delete(session.pass);
    this.#endings.get(session)?.abort();
    this.#endings.delete(session);
  }

  /** Ends what has expired, whether or not somebody asks for it. */
  endExpired(): void {
    for (const session of this.#sessions.values()) this.#live(session);
    for (const [code, { expiresAt }] of this.#codes) if (expiresAt <= this.#now()) this.#codes.delete(code);
  }

  /** Whether all users, or the service accounts of the namespace of this one, have as many codes or sessions as they may. */
  #hasTooMany(all: ReadonlyMap<string, Owned>, identity: Identity, most: number): boolean {
    if (all.size >= most) return true;
    const namespace = namespaceOf({ identity });
    if (namespace === undefined) return false;
    const beside = [...all.values()].filter((owned) => namespaceOf(owned) === namespace);
    return beside.length >= most * this.#limits.shareOfNamespace;
  }

  #endOf(lifetimeMs: number, { expiresAt = Infinity }: Identity): number {
    return Math.min(this.#now() + lifetimeMs, expiresAt);
  }

  #live(session: Session | undefined): Session | undefined {
    if (session === undefined || session.expiresAt > this.#now()) return session;
    this.end(session);
    return undefined;
  }
}
