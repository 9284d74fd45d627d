import type { UserInfo } from '@apichain/authn';
import type { RequestAudit } from './audit/request-audit.ts';
import type { Query } from './negotiation/query.ts';
import type { RequestInfo } from './request-info.ts';
import type { TrackTime } from './times/request-times.ts';

/** What a handler knows about the request besides its body. The filters create it once; it is passed down unchanged. */
export interface RequestContext {
  readonly requestInfo: RequestInfo;
  /** The parameters of the request. */
  readonly query: Query;
  readonly user: UserInfo;
  /** Aborts when the client goes away or the deadline passes; its reason is a StatusError. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch; undefined for long-running requests. */
  readonly deadline?: number | undefined;
  readonly userAgent: string;
  /** Where to record what audit events contain; undefined = the request is not audited. */
  readonly audit?: RequestAudit | undefined;
  /** Is told the times of parts of the work; undefined = nobody wants to know them. */
  readonly track?: TrackTime | undefined;
  /** Is told the revision of each object that the request stores or deletes; undefined = nobody wants to know them. */
  readonly wrote?: ((revision: number) => void) | undefined;
  /** Adds a `Warning: 299` header to the response. Duplicates are dropped. */
  warn(text: string): void;
}
