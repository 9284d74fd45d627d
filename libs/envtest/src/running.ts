import { join } from 'node:path';
import type { RunningWebhooks } from '@apichain/testing/support';
import type { TestChain } from '@apichain/testing';
import type { EnvtestConfig, WebhookServing } from './options.ts';
import type { WebhookConfigurationManifest } from './webhooks.ts';

/** What an environment has started, or attached to. */
export interface Running {
  readonly config: EnvtestConfig;
  /** Undefined for an existing cluster. */
  readonly chain?: TestChain;
  stop(): Promise<void>;
}

/** The webhook server of the test, as the configuration of an environment describes it. */
export function servingOf(
  { host, port, ca, cert, key, certDir }: Pick<RunningWebhooks, 'host' | 'port' | 'ca' | 'cert' | 'key' | 'certDir'>,
  configurations: readonly WebhookConfigurationManifest[],
): WebhookServing {
  return {
    ...{ host, port, caPem: ca, certPem: cert, keyPem: key, certDir },
    certPath: join(certDir, 'tls.crt'),
    keyPath: join(certDir, 'tls.key'),
    configurationNames: configurations.map(({ metadata }) => metadata.name),
  };
}

/** Base64 of a text, as kubeconfigs contain it. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
