import { ReviewWebhook, type Transport } from '@apichain/client';
import { delegatedReviewMetrics } from '@apichain/observability';
import type { Registry } from 'prom-client';
import type { RepeatedErrors } from './repeated-errors.ts';

/** Source: the timeouts of options/authentication.go and options/authorization.go of k8s.io/apiserver 1.36. */
const timeoutMs = 10_000;

/** The kinds of reviews that the core API answers, and their paths. */
const paths = {
  TokenReviews: '/apis/authentication.k8s.io/v1/tokenreviews',
  SubjectAccessReviews: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
} as const;

/** Who is told of reviews: the log of failures and, with metrics, each response. */
export interface ReviewObservers {
  readonly errors: RepeatedErrors;
  readonly metrics?: Registry | undefined;
}

/** Reviews by the core API. A failure is logged, because clients are not told why their token could not be reviewed. */
export function coreReviews(
  transport: Transport,
  kind: keyof typeof paths,
  { errors, metrics }: ReviewObservers,
): Pick<ReviewWebhook, 'status'> {
  const webhook = new ReviewWebhook({
    ...{ transport, path: paths[kind], timeoutMs },
    ...(metrics === undefined
      ? {}
      : { observe: delegatedReviewMetrics(metrics, kind === 'TokenReviews' ? 'authn' : 'authz') }),
  });
  return {
    async status(review) {
      try {
        return await webhook.status(review);
      } catch (error) {
        errors.report(`the core API does not answer ${kind} of this server`, error);
        throw error;
      }
    },
  };
}
