import type { Filter } from '@apichain/apiserver';
import { clientScope, factsOf, type RequestFacts } from './request-match.ts';

/** One request of a client, as the API server understood it. */
export interface RecordedRequest extends RequestFacts {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
  readonly contentType: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Of the answer; undefined while the request is being served, 0 when it ended without an answer. */
  readonly status: number | undefined;
}

const maxRecorded = 10_000;

/** Keeps the last 10,000 requests that were authenticated, in the order in which they arrived. */
export class RecordedRequests {
  readonly list: RecordedRequest[] = [];

  readonly filter: Filter = (request, response, next) => {
    const scope = clientScope(request);
    if (scope !== undefined) {
      const recorded: { -readonly [field in keyof RecordedRequest]: RecordedRequest[field] } = {
        ...factsOf(scope),
        method: request.method ?? '',
        url: request.url ?? '',
        groups: scope.user.groups,
        userAgent: scope.userAgent,
        contentType: request.headers['content-type'] ?? '',
        receivedAt: scope.receivedAt,
        status: undefined,
      };
      if (this.list.length === maxRecorded) this.list.shift();
      this.list.push(recorded);
      scope.onFinish(() => {
        recorded.status = response.headersSent ? response.statusCode : 0;
      });
    }
    next();
  };
}
