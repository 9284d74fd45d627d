import { randomBytes } from 'node:crypto';
import { isSameSecret, type UserInfo } from '@apichain/authn';

/** With what the requests of a session are authenticated: a user who was authenticated before, or a bearer token that is checked each time. */
export type Credential = { readonly user: UserInfo } | { readonly token: string };

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
  /** Stands for the user in the Authorization header of requests to the server of this process. The browser never gets it. */
  readonly pass: string;
  readonly credential: Credential;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface Limits {
  readonly codeMs: number;
  readonly sessionMs: number;
  readonly maxCodes: number;
  readonly maxSessions: number;
}

const defaults: Limits = { codeMs: 10 * 60_000, sessionMs: 8 * 60 * 60_000, maxCodes: 32, maxSessions: 64 };

const secret = (): string => randomBytes(32).toString('base64url');

/** One-time codes and sessions, in memory only. The oldest ones are dropped when there are too many. */
export class Sessions {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #codes = new Map<string, { readonly credential: Credential; readonly expiresAt: number }>();
  readonly #sessions = new Map<string, Session>();
  readonly #passes = new Map<string, Session>();

  constructor(limits: Partial<Limits> = {}, now: () => number = Date.now) {
    this.#limits = { ...defaults, ...limits };
    this.#now = now;
  }

  /** Creates a code that begins one session with this credential. */
  invite(credential: Credential): Invitation {
    makeRoom(this.#codes, this.#limits.maxCodes);
    const invitation = { code: secret(), expiresAt: this.#now() + this.#limits.codeMs };
    this.#codes.set(invitation.code, { credential, expiresAt: invitation.expiresAt });
    return invitation;
  }

  /** The session of a code. Undefined when the code is unknown, used or expired; a code is used by the first attempt. */
  redeem(code: string): Session | undefined {
    const invited = this.#codes.get(code);
    this.#codes.delete(code);
    if (invited === undefined || invited.expiresAt <= this.#now()) return undefined;
    return this.begin(invited.credential);
  }

  begin(credential: Credential): Session {
    while (this.#sessions.size >= this.#limits.maxSessions) {
      const [oldest] = this.#sessions.values();
      if (oldest !== undefined) this.end(oldest);
    }
    const expiresAt = this.#now() + this.#limits.sessionMs;
    const session: Session = { id: secret(), proof: secret(), pass: secret(), credential, expiresAt };
    this.#sessions.set(session.id, session);
    this.#passes.set(session.pass, session);
    return session;
  }

  /** The session with both halves; undefined when it is unknown or expired, or when the halves do not belong together. */
  find(id: string, proof: string): Session | undefined {
    const session = this.#live(this.#sessions.get(id));
    return session !== undefined && isSameSecret(session.proof, proof) ? session : undefined;
  }

  /** The user for whom a pass stands. Undefined for a session with a token, whose requests carry the token itself. */
  userOfPass(pass: string): UserInfo | undefined {
    const session = this.#live(this.#passes.get(pass));
    return session !== undefined && 'user' in session.credential ? session.credential.user : undefined;
  }

  end(session: Session): void {
    this.#sessions.delete(session.id);
    this.#passes.delete(session.pass);
  }

  #live(session: Session | undefined): Session | undefined {
    if (session === undefined || session.expiresAt > this.#now()) return session;
    this.end(session);
    return undefined;
  }
}

/** Removes the oldest entry of a full map. */
function makeRoom(map: Map<string, unknown>, max: number): void {
  if (map.size < max) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
