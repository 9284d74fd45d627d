import { isDocumented } from './documented.ts';
import type { FuzzRequest } from './request.ts';
import type { Outcome } from './target.ts';

/** Something a server must not do. Findings of one `key` are one and the same. */
export interface Finding {
  readonly index: number;
  readonly key: string;
  readonly what: string;
  readonly request: FuzzRequest;
}

/** The server is busy, or something behind it did not answer in time: documented, and no defect. */
const expectedStatuses: ReadonlySet<number> = new Set([503, 504]);

/** The message of a Status, or what a person can read of it in another representation. */
function messageOf(body: string): string {
  return /"message":\s?"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? body.replace(/[^\x21-\x7e]+/g, ' ');
}

const generalized = (message: string): string => message.replace(/\\"[^"]*\\"|[0-9]+/g, '#').slice(0, 80);

/** What is wrong with an outcome: a key that tells it from others, and a sentence; undefined when nothing is. */
export function judge(outcome: Outcome): { key: string; what: string } | undefined {
  switch (outcome.kind) {
    case 'unanswered':
      return { key: 'unanswered', what: 'no answer in time' };
    case 'reset':
      return { key: 'reset', what: `the connection was reset (${outcome.message})` };
    case 'answered': {
      const { status, body } = outcome;
      if (status < 500 || expectedStatuses.has(status)) return undefined;
      const message = messageOf(body);
      if (isDocumented(message)) return undefined;
      return { key: `${status} ${generalized(message)}`, what: `${status}: ${message.slice(0, 300)}` };
    }
  }
}
