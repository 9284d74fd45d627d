import { httpTransport, loadKubeconfig, ReviewWebhook } from '@apichain/client';
import { formatDuration } from '@apichain/go-text';
import { parseYaml, record, text, type Plain } from '@apichain/meta';
import type { ImagePolicy } from './image-policy-webhook.ts';

const millisecond = 1;
const second = 1_000;
const minute = 60_000;
const nanosecond = 1e-6;

/** A duration in milliseconds, from a number of units: -1 = zero, 0 = the default. Throws Error outside of the bounds (in milliseconds). */
function durationOf(value: unknown, unit: number, [least, most]: readonly [number, number], fallback: number): number {
  const given = typeof value === 'number' ? value : 0;
  if (given === -1) return 0;
  if (given === 0) return fallback;
  const duration = given * unit;
  if (duration >= least && duration <= most) return duration;
  const shown = (milliseconds: number) => formatDuration(BigInt(Math.round(milliseconds * 1e6)));
  throw new Error(`valid value is between ${shown(least)} and ${shown(most)}, got ${shown(duration)}`);
}

/** The webhook at the address of the kubeconfig's current context. */
function webhookAt(file: string, initialBackoffMs: number): ReviewWebhook {
  if (file === '')
    throw new Error(
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    );
  const config = loadKubeconfig(file);
  const { origin, pathname, search } = new URL(config.url);
  return new ReviewWebhook({
    transport: httpTransport({ ...config, url: origin }),
    path: `${pathname}${search}`,
    initialBackoffMs,
  });
}

/**
 * Reads the configuration of ImagePolicyWebhook, YAML or JSON. Throws Error with the text of kube-apiserver, also when there is none.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#imagereview-config-file-format
 */
export function imagePolicyFrom(source: string | undefined): ImagePolicy {
  if (source === undefined) throw new Error('no config specified');
  const given: Plain = record(record(parseYaml(Buffer.from(source))).imagePolicy);
  const backoff = durationOf(given.retryBackoff, millisecond, [nanosecond, 5 * minute], 500 * millisecond);
  const allowTtlMs = durationOf(given.allowTTL, second, [second, 30 * minute], 5 * minute);
  const denyTtlMs = durationOf(given.denyTTL, second, [second, 30 * minute], 30 * second);
  return {
    webhook: webhookAt(text(given.kubeConfigFile), backoff),
    allowTtlMs,
    denyTtlMs,
    defaultAllow: given.defaultAllow === true,
  };
}
