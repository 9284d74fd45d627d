import { newResourceExpired, StatusError } from '@apichain/meta';
import { encodeContinue } from './continue-token.ts';

const expiredContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/**
 * 410 Expired for a list whose revision has been compacted. A continued list gets a token that continues at `start` with the newest state
 * (k8s.io/apiserver/pkg/storage/etcd3/errors.go).
 */
export function expiredList(continued: boolean, start: string): StatusError {
  if (!continued) return newResourceExpired('The resourceVersion for the provided list is too old.');
  const { status } = newResourceExpired(expiredContinue);
  const token = encodeContinue(start.replace(/\0$/, ''), '', -1);
  return new StatusError({ ...status, metadata: { continue: token } });
}
