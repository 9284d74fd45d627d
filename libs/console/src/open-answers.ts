import type { ServerResponse } from 'node:http';
import type { Session } from './sessions.ts';

/** The answers that are being sent to the pages of sessions. They end with their sessions: a watch would go on for hours. */
export class OpenAnswers {
  readonly #bySession = new Map<Session, Set<ServerResponse>>();

  add(session: Session, response: ServerResponse): void {
    const answers = this.#bySession.get(session) ?? this.#first(session);
    answers.add(response);
    response.once('close', () => answers.delete(response));
  }

  #first(session: Session): Set<ServerResponse> {
    const answers = new Set<ServerResponse>();
    this.#bySession.set(session, answers);
    const endAll = () => {
      this.#bySession.delete(session);
      // An answer that tells why the session has ended is complete in this turn of the event loop.
      setImmediate(() => answers.forEach((response) => response.writableEnded || response.destroy()));
    };
    session.ended.addEventListener('abort', endAll, { once: true });
    return answers;
  }

  /** The sessions that have open answers. */
  get sessions(): readonly Session[] {
    return [...this.#bySession].filter(([, answers]) => answers.size > 0).map(([session]) => session);
  }
}
