import type { AdmissionResponse, AdmissionReview } from '@apichain/api/admission/v1';
import { currentSpan } from '@apichain/client';
import { goQuote } from '@apichain/go-text';
import {
  errorMessage,
  newBadRequest,
  newForbidden,
  newTimeout,
  StatusError,
  type Status,
  newInternalError,
} from '@apichain/meta';
import type { Authorizer } from '@apichain/authz';
import type { ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, VersionedResource } from '../plugin.ts';
import { inVersion, namespaceSelected, objectSelected, type VersionedObjects } from '../selection.ts';
import { UnusableClientError, type WebhookCall, type WebhookClient, type WebhookObserver } from './client.ts';
import { createReview, readReview, type Verdict } from './review.ts';
import type { Candidate } from './source.ts';
import { selectorOf, type Webhook } from './webhook.ts';

/** A webhook could not be called or gave no usable response; failurePolicy decides the outcome. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
  constructor(webhook: string, reason: string) {
    super(`failed calling webhook ${goQuote(webhook)}: ${reason}`);
  }
  /** The error for the client with failurePolicy Fail. */
  toStatus(): StatusError {
    return newInternalError(this.message);
  }
}

/** What the webhook plugins need from the server that runs them. */
export interface WebhookDependencies {
  readonly lookup: ObjectLookup;
  readonly authorizer: Authorizer;
  readonly client: WebhookClient;
}

const requestTimeout = () => newTimeout('request did not complete within requested timeout');
/** Throws Timeout (504) when the request has no time left. */
export function checkTime({ signal }: AdmissionAttributes): void {
  if (signal?.aborted === true) throw requestTimeout();
}

/**
 * Whether to call a webhook whose rules match the request: evaluates its selectors and match conditions. Throws StatusError when that fails.
 * `versions` caches the converted objects. After ShouldCallHook of k8s.io/apiserver/pkg/admission/plugin/webhook/generic.
 */
export async function shouldCall(
  { webhook, version }: Candidate,
  attributes: AdmissionAttributes,
  needed: WebhookDependencies,
  versions: ObjectVersions,
): Promise<boolean> {
  if (!(await namespaceSelected(selectorOf(webhook.namespaceSelector), attributes, needed.lookup))) return false;
  if (!objectSelected(selectorOf(webhook.objectSelector), attributes)) return false;
  if (webhook.matchConditions === undefined) return true;
  const outcome = await webhook.matchConditions.evaluate({
    attributes,
    version,
    objects: await versions.in(version),
    authorizer: needed.authorizer,
  });
  if (outcome.error !== undefined) throw newForbidden(attributes.resource, attributes.name, outcome.error);
  return outcome.matches;
}

/** The objects of one request, converted at most once for each version. */
export class ObjectVersions {
  readonly #attributes: AdmissionAttributes;
  readonly #known = new Map<string, Promise<VersionedObjects>>();
  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }
  in({ kind }: VersionedResource): Promise<VersionedObjects> {
    const key = `${kind.group}/${kind.version}/${kind.kind}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = inVersion(this.#attributes, kind);
    this.#known.set(key, made);
    return made;
  }
  /** Drops the converted objects, because the object has changed. */
  forget(): void {
    this.#known.clear();
  }
}

/**
 * Calls a webhook and passes on its warnings and audit annotations. Throws WebhookCallError when there is no usable response, StatusError when
 * the webhook rejects the request.
 */
export function callWebhook(...asked: Parameters<typeof call>): Promise<Verdict> {
  const { observer } = asked[3];
  return observer === undefined ? call(...asked) : observedCall(observer, ...asked);
}

async function observedCall(observer: WebhookObserver, ...asked: Parameters<typeof call>): Promise<Verdict> {
  const [{ webhook }, { operation }, , , mutating] = asked;
  const start = performance.now();
  const observe = (outcome: WebhookCall['outcome'], code: number) => {
    const { name, failOpen } = webhook;
    observer({ name, mutating, operation, seconds: (performance.now() - start) / 1000, outcome, code, failOpen });
  };
  try {
    const verdict = await call(...asked);
    observe('allowed', 200);
    return verdict;
  } catch (error) {
    if (error instanceof StatusError) observe('denied', error.status.code);
    else if (error instanceof WebhookCallError) observe('error', error.toStatus().status.code);
    throw error;
  }
}

async function call(
  { webhook, version }: Candidate,
  attributes: AdmissionAttributes,
  objects: VersionedObjects,
  client: WebhookClient,
  mutating: boolean,
): Promise<Verdict> {
  if (attributes.dryRun && !webhook.allowsDryRun)
    throw newBadRequest(`admission webhook ${goQuote(webhook.name)} does not support dry run`);
  const failed = (reason: string) => new WebhookCallError(webhook.name, reason);
  const review = attempt(
    () => createReview(attributes, version, objects, webhook.reviewVersions),
    (text) => failed(text),
  );
  const start = attributes.track === undefined ? 0 : performance.now();
  const span = currentSpan()?.child(`Call ${mutating ? 'mutating' : 'validating'} webhook`, 'client', {
    webhook: webhook.name,
    operation: attributes.operation,
  });
  let received: AdmissionReview;
  try {
    received = await client.post(webhook.clientConfig, review.body, {
      timeoutMs: timeLeft(webhook, attributes),
      tellTimeout: true,
      signal: attributes.signal,
      ...(span === undefined ? {} : { span: span.context }),
    });
  } catch (error) {
    span?.end(errorMessage(error));
    const what = error instanceof UnusableClientError ? 'could not get REST client' : 'failed to call webhook';
    throw failed(`${what}: ${errorMessage(error)}`);
  } finally {
    span?.end();
    attributes.track?.(mutating ? 'mutating-webhook' : 'validating-webhook', performance.now() - start);
  }
  const verdict = attempt(
    () => readReview(received, review, mutating),
    (text) => failed(`received invalid webhook response: ${text}`),
  );
  for (const [key, value] of Object.entries(verdict.auditAnnotations))
    attributes.annotate?.(`${webhook.name}/${key}`, value);
  for (const warning of verdict.warnings) attributes.warn(warning);
  if (!verdict.allowed) throw denied(webhook.name, verdict.result);
  return verdict;
}

function attempt<T>(compute: () => T, wrap: (text: string) => Error): T {
  try {
    return compute();
  } catch (error) {
    throw wrap(errorMessage(error));
  }
}

/** The webhook's timeout, or the remaining time of the request if that is shorter. */
function timeLeft({ timeoutMs }: Webhook, { deadline }: AdmissionAttributes): number {
  return deadline === undefined ? timeoutMs : Math.max(1, Math.min(timeoutMs, deadline - Date.now()));
}

/** The Status of a refusal. After ToStatusErr of k8s.io/apiserver/pkg/admission/plugin/webhook/errors. */
function denied(webhook: string, result: AdmissionResponse['status']): StatusError {
  const by = `admission webhook ${goQuote(webhook)} denied the request`;
  const { code = 0, reason = '', message = '' } = result ?? {};
  const explained = message !== '' ? `: ${message}` : reason !== '' ? `: ${reason}` : ' without explanation';
  const { status, metadata, details } = (result ?? {}) as Partial<Status>;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: metadata ?? {},
    status: result?.status === '' || status === undefined || status === 'Success' ? 'Failure' : status,
    message: `${by}${explained}`,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code: code < 400 ? 400 : code,
  });
}
