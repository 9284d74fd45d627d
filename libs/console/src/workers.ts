import { newServiceUnavailable } from '@apichain/meta';
import type { RequestRecord } from '@apichain/request';
import type { Worker } from '@apichain/workers';
import { identityFromText, identityText, type Identity } from './identity.ts';
import { TooManySessionsError, type Invitation, type Sessions } from './sessions.ts';

/*
 * The console of a service that several processes serve: the first worker has its port, its sessions and the records of requests. The others send it
 * the records of theirs, and ask it for the codes that clients ask them for.
 */

const topic = 'console: request';
const question = 'console: code';

/** What the first worker replies: a code, or why there is none. */
type Reply = { readonly invitation: Invitation } | { readonly tooMany: string };

/** Responds to the other workers with codes of these sessions, and adds the records of their requests. */
export function serveWorkers(worker: Worker, sessions: Sessions, add: (record: RequestRecord) => void): void {
  worker.listen(topic, (text) => add(JSON.parse(text) as RequestRecord));
  worker.respond(question, (text) => JSON.stringify(replyTo(sessions, text)));
}

function replyTo(sessions: Sessions, text: string): Reply {
  try {
    return { invitation: sessions.invite(identityFromText(text)) };
  } catch (error) {
    if (error instanceof TooManySessionsError) return { tooMany: error.message };
    throw error;
  }
}

/** What another worker has of the console. */
interface ConsoleOfWorker {
  /** Sends the record of a request to the first worker. */
  readonly record: (record: RequestRecord) => void;
  /** A code of the first worker. Throws TooManySessionsError, and StatusError when the first worker does not respond. */
  readonly invite: (identity: Identity) => Promise<Invitation>;
}

const retrySeconds = 1;

/** The part of a worker that is not the first one. */
export const consoleOfWorker = (worker: Worker): ConsoleOfWorker => ({
  record: (record) => worker.tell(topic, JSON.stringify(record)),
  invite: async (identity) => {
    const [reply] = await worker.ask(question, identityText(identity));
    if (reply === undefined) throw newServiceUnavailable('the console does not respond', retrySeconds);
    const outcome = JSON.parse(reply.text) as Reply;
    if ('tooMany' in outcome) throw new TooManySessionsError(outcome.tooMany);
    return outcome.invitation;
  },
});
