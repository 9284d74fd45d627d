import { isDocumented } from './documented.ts';
import type { FuzzRequest } from './request.ts';
import type { Outcome } from './target.ts';

/** A defect of the server. Findings with the same `key` count as one. */
export interface Finding {
  readonly index: number;
  readonly key: string;
  readonly what: string;
  readonly request: FuzzRequest;
}

/** The server is overloaded, or a service behind it timed out. Both are documented responses, not defects. */
const expectedStatuses: ReadonlySet<number> = new Set([503, 504]);

/** The message of a Status, or the printable text of another representation. */
function messageOf(body: string): string {
  return /"message":\s?"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? body.replace(/[^\x21-\x7e]+/g, ' ');
}

const generalized = (message: string): string => message.replace(/\\"[^"]*\\"|[0-9]+/g, '#').slice(0, 80);

/** Classifies an outcome. Returns a key that identifies the defect, and a description. Undefined when there is no defect. */
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
