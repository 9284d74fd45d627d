import type { SpanRecorder, RecordedSpan } from '@apichain/client';
import type { DelegationTarget } from '@apichain/delegation';
import { parseJson } from '@apichain/meta';
import { writeNotFound, writeRawJson, type PathMux } from '@apichain/request';

const path = '/recent-requests';

/**
 * The last requests of a server, and the way of each through the later servers of the chain: these keep their spans themselves and are asked when
 * somebody looks at a request. `--recent-requests` sets how many are kept.
 */
export class RecentRequests {
  readonly #recorder: SpanRecorder;
  readonly #delegate: DelegationTarget | undefined;

  constructor(recorder: SpanRecorder, delegate: DelegationTarget | undefined) {
    this.#recorder = recorder;
    this.#delegate = delegate;
  }

  /** The spans of the requests themselves, newest first. `user` limits them to those of one user. */
  list(user?: string): readonly RecordedSpan[] {
    const spans = this.#recorder.requests();
    return user === undefined ? spans : spans.filter(({ attributes }) => attributes['user'] === user);
  }

  /**
   * The spans of a trace in this and the later servers, by their start. Undefined when there are none here, or when they belong to requests of another
   * user than `user`. A later server that does not answer is left out.
   */
  async trace(traceId: string, user?: string): Promise<readonly RecordedSpan[] | undefined> {
    const own = this.#recorder.trace(traceId);
    const isForeign = (span: RecordedSpan) => span.kind === 'server' && span.attributes['user'] !== user;
    if (own.length === 0 || (user !== undefined && own.some(isForeign))) return undefined;
    const later = await this.#laterSpans(traceId);
    return [...own, ...later].sort((a, b) => a.start - b.start);
  }

  async #laterSpans(traceId: string): Promise<readonly RecordedSpan[]> {
    if (this.#delegate === undefined) return [];
    const answer = await this.#delegate.fetch(`${path}/${traceId}`).catch(() => undefined);
    if (answer?.status !== 200) return [];
    const { items } = parseJson(answer.body.toString()) as { readonly items: readonly RecordedSpan[] };
    return items;
  }

  /** Serves `/recent-requests`, and the spans of one trace below it, to those whom the authorizers allow these paths. */
  install(paths: PathMux): void {
    paths.handle(path, (_context, _request, response) => writeRawJson(response, 200, { items: this.list() }), false);
    paths.handlePrefix(
      `${path}/`,
      async ({ requestInfo }, _request, response) => {
        const items = await this.trace(requestInfo.path.slice(path.length + 1));
        if (items === undefined) writeNotFound(response);
        else writeRawJson(response, 200, { items });
      },
      false,
    );
  }
}
