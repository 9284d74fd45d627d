import type { RestClient } from '@apichain/client';
import { newServiceUnavailable } from '@apichain/meta';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from './authorizer.ts';
import { selectorRequirements } from './webhook/review-spec.ts';

const reviews = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' };
/** A second or so later the other server may be there again. */
const retrySeconds = 1;
const unknown: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** Asks another server with a SubjectAccessReview; has no opinion before `start`. */
export class AccessReviewAuthorizer implements Authorizer {
  #client: RestClient | undefined;

  start(client: RestClient): void {
    this.#client = client;
  }

  /** Rejects with what the client throws. */
  async authorize(asked: AuthorizationAttributes): Promise<AuthorizationResult> {
    if (this.#client === undefined) return unknown;
    const answer = await this.#client.create(reviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: specOf(asked),
    });
    return resultOf(answer['status']);
  }
}

function specOf(asked: AuthorizationAttributes): Record<string, unknown> {
  const { user } = asked;
  const subject = { user: user.name, uid: user.uid, groups: [...user.groups], extra: structuredClone(user.extra) };
  if (!asked.isResourceRequest) return { ...subject, nonResourceAttributes: { path: asked.path, verb: asked.verb } };
  const { verb, apiGroup, apiVersion, resource, subresource, namespace, name } = asked;
  // Taken apart here: one that cannot be read is for the request to be refused for, if it is allowed at all.
  const { fieldSelector, labelSelector } = selectorRequirements(asked);
  return {
    ...subject,
    resourceAttributes: {
      verb,
      group: apiGroup,
      version: apiVersion,
      resource,
      subresource,
      namespace,
      name,
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
    },
  };
}

function resultOf(status: unknown): AuthorizationResult {
  if (typeof status !== 'object' || status === null) return unknown;
  const { allowed, denied, reason, evaluationError } = {
    allowed: false,
    denied: false,
    reason: '',
    evaluationError: '',
    ...status,
  };
  return {
    decision: allowed === true ? 'Allow' : denied === true ? 'Deny' : 'NoOpinion',
    reason: typeof reason === 'string' ? reason : '',
    ...(typeof evaluationError === 'string' && evaluationError !== '' ? { evaluationError } : {}),
  };
}

/**
 * Allows what a local copy of the rules allows, and has everything else decided where the rules are: a copy may be a moment behind,
 * and nobody should be refused what he has just been granted. Rejects with ServiceUnavailable when they cannot be asked.
 */
export class ConfirmedAuthorizer implements Authorizer {
  readonly #copy: Authorizer;
  readonly #owner: Authorizer;

  constructor(copy: Authorizer, owner: Authorizer) {
    this.#copy = copy;
    this.#owner = owner;
  }

  async authorize(attributes: AuthorizationAttributes): Promise<AuthorizationResult> {
    const answer = await this.#copy.authorize(attributes);
    if (answer.decision !== 'NoOpinion') return answer;
    try {
      return await this.#owner.authorize(attributes);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw newServiceUnavailable(`what the user may do cannot be told now: ${reason}`, retrySeconds);
    }
  }
}
