import { ReviewWebhook, type Transport } from '@apichain/client';
import type { RepeatedErrors } from './repeated-errors.ts';

/** Source: the timeouts of options/authentication.go and options/authorization.go of k8s.io/apiserver 1.36. */
const timeoutMs = 10_000;

/** The kinds of reviews that the core API answers, and their paths. */
const paths = {
  TokenReviews: '/apis/authentication.k8s.io/v1/tokenreviews',
  SubjectAccessReviews: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
} as const;

/** Reviews by the core API. A failure is logged, because clients are not told why their token could not be reviewed. */
export function coreReviews(
  transport: Transport,
  kind: keyof typeof paths,
  errors: RepeatedErrors,
): Pick<ReviewWebhook, 'status'> {
  const webhook = new ReviewWebhook({ transport, path: paths[kind], timeoutMs });
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
