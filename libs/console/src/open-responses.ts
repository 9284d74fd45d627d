import type { ServerResponse } from 'node:http';
import type { Session } from './sessions.ts';

/** The responses that are being sent to the pages of sessions. They end with their sessions: a watch would go on for hours. */
export class OpenResponses {
  readonly #bySession = new Map<Session, Set<ServerResponse>>();

  add(session: Session, response: ServerResponse): void {
    const responses = this.#bySession.get(session) ?? this.#first(session);
    responses.add(response);
    response.once('close', () => responses.delete(response));
  }

  #first(session: Session): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#bySession.set(session, responses);
    const endAll = () => {
      this.#bySession.delete(session);
      // A response that tells why the session has ended is complete in this turn of the event loop.
      setImmediate(() => responses.forEach((response) => response.writableEnded || response.destroy()));
    };
    session.ended.addEventListener('abort', endAll, { once: true });
    return responses;
  }

  /** The sessions that have open responses. */
  get sessions(): readonly Session[] {
    return [...this.#bySession].filter(([, responses]) => responses.size > 0).map(([session]) => session);
  }
}
