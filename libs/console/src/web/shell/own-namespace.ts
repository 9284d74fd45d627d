import { postJson } from '../api/api.ts';
import { namespaceOfUser } from '../api/session.ts';
import { go, linkTo } from './routes.ts';

const group = 'authorization.k8s.io/v1';

interface Review {
  readonly status: { readonly allowed: boolean };
}

/** Begins a ServiceAccount that may not see all namespaces in its own one, when no other place was asked for. */
export async function goToOwnNamespace(user: string): Promise<void> {
  const own = namespaceOfUser(user);
  if (own === '' || !isStart()) return;
  const review = await postJson<Review>(`/apis/${group}/selfsubjectaccessreviews`, {
    ...{ apiVersion: group, kind: 'SelfSubjectAccessReview' },
    spec: { resourceAttributes: { verb: 'list', resource: 'pods' } },
  });
  // The user may have gone somewhere else meanwhile.
  if (!review.status.allowed && isStart()) go(linkTo.overview(own));
}

const isStart = (): boolean => /^(#\/?)?$/.test(location.hash);
